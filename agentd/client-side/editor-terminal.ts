// SPDX-License-Identifier: MIT OR Apache-2.0
// One terminal of an agent that runs in the editor which holds a lease of its session. The id that the agent and the log
// have is agentd's; the editor has one of its own.
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import type { RpcError } from "../../acp-client/jsonrpc/message.ts";
import type { Lease } from "../leases/leases.ts";
import type { EditorAnswer, EditorRequest, Editors } from "../leases/session-editors.ts";
import { toInternalError } from "../session/core/client-side/answers.ts";
import type { TerminalCreateCall } from "./calls.ts";
import { ExitWaiters } from "./exit-waiters.ts";
import { maxJsonBytes } from "./json-bytes.ts";
import type { ResponseQueue } from "./response-queue.ts";
import { type ServedTerminal, type TerminalOutput, withinBytes } from "./running-terminal.ts";
import type { TerminalExit } from "./terminals/terminal.ts";

const text = z.string().transform((signal) => signal.slice(0, 64));
const exitMembers = { exit_code: z.number().int().nullish(), signal: text.nullish() };
const created = z.looseObject({ terminal: z.string().min(1).max(1024) });
const waited = z.looseObject({ pending: z.boolean().optional(), ...exitMembers });
const looked = z.looseObject({
  output: z.string(),
  truncated: z.boolean().nullish(),
  exit_status: z.looseObject(exitMembers).nullish(),
});
const nothing = z.looseObject({});

const unknownExit: TerminalExit = { exitCode: null, signal: null };
/** An editor answers a wait within 50 s. */
const waitTimeoutMs = 60_000;
/** Between two waits, in case an editor answers them at once. */
const waitPauseMs = 1_000;
/** From the editor's answer to a release to its answer to the wait, which tells how the command ended. */
const exitAfterReleaseMs = 1_000;
/** How long the answer to a create that came too late is listened for, to release what was started. */
const lateMs = 60_000;
/** What an output counts for in the response queue until it is there. */
const outputBytes = 2 * 1024 * 1024;

export interface EditorTerminalOptions {
  readonly editors: Editors;
  readonly lease: Lease;
  /** Most bytes of output that the agent wants. */
  readonly outputBytesMax: number;
  /** Most bytes of output that are kept for the log; not less. */
  readonly keptBytesMax: number;
  /** Aborted when the session's agent ends: nothing may wait for the editor then. */
  readonly ending: AbortSignal;
  /** Counts an output request as open until it is answered. */
  readonly track: (work: Promise<void>) => void;
  /** Called once. */
  readonly onExit: (exit: TerminalExit, output: TerminalOutput) => void;
  /** Called after `onExit`, if the lease ended before the terminal was released. */
  readonly onLost: () => void;
}

export interface EditorCommand extends Pick<TerminalCreateCall, "command" | "args" | "env"> {
  /** agentd's id, which the agent's tool calls have: the editor can show there what it runs. */
  readonly terminal: string;
  readonly cwd: string;
  readonly callMs: number;
}

export type CreatedTerminal =
  | { readonly kind: "created"; readonly terminal: EditorTerminal }
  /** The command has certainly not run: agentd is to run it. */
  | { readonly kind: "own"; readonly why: string }
  | { readonly kind: "failed"; readonly message: string };

/** Never rejects. A command that may have run is not run again. */
export async function createInEditor(command: EditorCommand, options: EditorTerminalOptions): Promise<CreatedTerminal> {
  const { editors, lease, ending, keptBytesMax } = options;
  const { callMs, ...rest } = command;
  const answer = await editors.ask(lease, {
    verb: "client.terminal.create",
    args: { ...rest, output_byte_limit: keptBytesMax },
    reply: created,
    signals: [ending, AbortSignal.timeout(callMs)],
    timeoutMs: lateMs,
    onLate: ({ terminal }) => void askOf(options, "release", terminal, nothing),
  });
  if (answer.kind === "done") {
    return { kind: "created", terminal: new EditorTerminal(answer.value.terminal, options) };
  }
  if (answer.kind === "refused") {
    return { kind: "failed", message: `${lease.citizen} did not run the command: ${answer.message}` };
  }
  if (!answer.mayHaveRun) return { kind: "own", why: answer.why };
  return { kind: "failed", message: `${lease.citizen} did not say whether it runs the command, which it may do` };
}

type TerminalVerb = "output" | "wait" | "kill" | "release";

function askOf<T>(
  { editors, lease }: EditorTerminalOptions,
  verb: TerminalVerb,
  terminal: string,
  reply: z.ZodType<T>,
  more: Pick<EditorRequest<T>, "signals" | "timeoutMs"> = {},
): Promise<EditorAnswer<T>> {
  return editors.ask(lease, { verb: `client.terminal.${verb}`, args: { terminal }, reply, ...more });
}

export class EditorTerminal implements ServedTerminal {
  readonly waiters = new ExitWaiters();
  readonly #id: string;
  readonly #options: EditorTerminalOptions;
  readonly #stop = new AbortController();
  /** Resolves when the exit was reported or nobody waits for it any more. */
  readonly #followed: Promise<void>;
  /** As the editor last showed it. */
  #last: TerminalOutput = { output: "", truncated: false };
  #hasExited = false;
  #isReleased = false;
  #isReleaseSent = false;

  constructor(id: string, options: EditorTerminalOptions) {
    this.#id = id;
    this.#options = options;
    const { ended } = options.lease;
    if (ended.aborted) queueMicrotask(this.#onLeaseEnded);
    else ended.addEventListener("abort", this.#onLeaseEnded);
    this.#followed = this.#follow();
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  output(request: ClientSideRequest, queue: ResponseQueue): void {
    queue.enqueue(request, () => this.#options.track(this.#respond(request, queue)));
  }

  async kill(): Promise<RpcError | undefined> {
    const answer = await this.#ask("kill", nothing);
    return answer.kind === "done" ? undefined : toInternalError(reasonOf(answer));
  }

  /** Keeps the output for the log before the editor forgets it. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    if (!this.#hasExited) await this.#look();
    if (!this.#isReleaseSent) await this.#sendRelease([this.#options.ending]);
    const late = pause(exitAfterReleaseMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
    void Promise.race([this.#followed, late]).then(() => this.#settle());
  }

  async end(): Promise<void> {
    if (!this.#isReleaseSent) void this.#sendRelease([]);
    this.#isReleased = true;
    this.#settle();
  }

  #sendRelease(signals: readonly AbortSignal[]): Promise<EditorAnswer<object>> {
    this.#isReleaseSent = true;
    return askOf(this.#options, "release", this.#id, nothing, { signals });
  }

  /** Waits for the exit, for the log, whether or not the agent does. */
  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const answer = await this.#ask("wait", waited, waitTimeoutMs);
      if (answer.kind === "refused") return this.#reportExit(unknownExit);
      if (answer.kind === "done" && answer.value.pending !== true) {
        await this.#look();
        return this.#reportExit(toExit(answer.value));
      }
      await pause(waitPauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async #respond(request: ClientSideRequest, queue: ResponseQueue): Promise<void> {
    const release = queue.reserve(outputBytes);
    const problem = await this.#look();
    if (problem === undefined || this.#isReleased) {
      const shown = withinBytes(this.#last, this.#options.outputBytesMax);
      request.reply(shown, queue.reserve(maxJsonBytes(Buffer.byteLength(shown.output))));
    } else {
      request.refuse(toInternalError(problem));
    }
    release();
  }

  /** Updates the last output. Resolves to why it could not. */
  async #look(): Promise<string | undefined> {
    const answer = await this.#ask("output", looked);
    if (answer.kind !== "done") return reasonOf(answer);
    const { output, truncated, exit_status: exit } = answer.value;
    const shown = { output, truncated: truncated === true, ...(exit ? { exitStatus: toExit(exit) } : {}) };
    this.#last = withinBytes(shown, this.#options.keptBytesMax);
    return undefined;
  }

  #ask<T>(verb: TerminalVerb, reply: z.ZodType<T>, timeoutMs?: number): Promise<EditorAnswer<T>> {
    const signals = [this.#options.ending, this.#stop.signal];
    return askOf(this.#options, verb, this.#id, reply, { signals, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  }

  readonly #onLeaseEnded = (): void => {
    const wasReleased = this.#isReleased;
    this.#settle();
    if (!wasReleased) this.#options.onLost();
  };

  #settle(): void {
    this.#reportExit(this.#last.exitStatus ?? unknownExit);
    this.#options.lease.ended.removeEventListener("abort", this.#onLeaseEnded);
    this.#stop.abort();
  }

  #reportExit(exit: TerminalExit): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.#options.onExit(exit, this.#last);
  }
}

function toExit({ exit_code: exitCode = null, signal = null }: z.output<typeof waited>): TerminalExit {
  return { exitCode, signal };
}

function reasonOf(answer: Exclude<EditorAnswer<unknown>, { kind: "done" }>): string {
  return answer.kind === "refused" ? answer.message : answer.why;
}
