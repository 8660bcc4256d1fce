// SPDX-License-Identifier: MIT OR Apache-2.0
// The five `terminal/*` methods, by agentd or by the editor that holds a lease of the session. Create, kill and release
// are inputs to the session and run once they are logged; output is a snapshot, and wait_for_exit responds when the exit
// is in the log.
import { randomBytes } from "node:crypto";
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import { RPC, type RpcError } from "../../acp-client/jsonrpc/message.ts";
import type { Redact } from "../catalogue/secret-values.ts";
import type { Limits } from "../config/limits.ts";
import type { WithUserUmask } from "../instance/user-umask.ts";
import type { Lease } from "../leases/leases.ts";
import type { Editors } from "../leases/session-editors.ts";
import { childOf, type ClientRequestHooks } from "../session/agents/client-requests.ts";
import { terminalNotFound, sessionEnding } from "../session/core/client-side/answers.ts";
import type { TerminalEffect } from "../session/core/client-side/client-side-input.ts";
import { randomId } from "../random-id.ts";
import type { ResponseQueue } from "./response-queue.ts";
import type { TerminalCreateCall } from "./calls.ts";
import { createInEditor } from "./editor-terminal.ts";
import type { PendingRequests } from "./pending-requests.ts";
import { RunningTerminal, type ServedTerminal } from "./running-terminal.ts";
import type { Boundary } from "./files/boundary.ts";
import { redactedMessage } from "./files/refusal.ts";
import { pinDirectory } from "./pin-directory.ts";
import { type StartedTerminal, startTerminal } from "./terminals/terminal.ts";
import { terminalEnvironment } from "./terminals/terminal-environment.ts";

export interface TerminalRequestsOptions extends Boundary {
  /** The default working directory of a terminal. */
  readonly cwd: string;
  /** The agent's environment, with the marker of its session. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes a function that replaces the secrets of the agent's environment and of these variables. */
  readonly redactorFor: (variables: Readonly<Record<string, string>>) => Redact;
  readonly limits: Limits;
  readonly editors: Editors;
  readonly withUserUmask: WithUserUmask;
}

/** Environment variable, unique to each terminal: every process that has it is ended with the terminal. */
const terminalMarker = "AGENTD_TERMINAL";

interface Create {
  readonly call: TerminalCreateCall;
  readonly redact: Redact;
  /** The editor that is to run it; absent: agentd. */
  readonly lease?: Lease | undefined;
}

type Start = Extract<TerminalEffect, { type: "start_terminal" }>;

export class TerminalRequests {
  readonly #options: TerminalRequestsOptions;
  readonly #hooks: ClientRequestHooks;
  readonly #pending: PendingRequests;
  readonly #queue: ResponseQueue;
  /** Keeps the values of the agent's variables, which neither the state nor the log gets. */
  readonly #creating = new Map<number, Create>();
  readonly #terminals = new Map<string, ServedTerminal>();
  /** Releases under way: background processes of a terminal may take long to end. */
  readonly #releases = new Set<Promise<void>>();
  /** Starts and outputs that wait for an editor. */
  readonly #waiting = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(
    options: TerminalRequestsOptions,
    hooks: ClientRequestHooks,
    pending: PendingRequests,
    queue: ResponseQueue,
  ) {
    this.#options = options;
    this.#hooks = hooks;
    this.#pending = pending;
    this.#queue = queue;
  }

  /** Requests that wait for an exit or for an editor. */
  get waitingCount(): number {
    return [...this.#terminals.values()].reduce((sum, { waiters }) => sum + waiters.count, this.#waiting.size);
  }

  create(request: ClientSideRequest, call: TerminalCreateCall): void {
    const key = this.#pending.add(request);
    const redact = this.#options.redactorFor(variablesOf(call));
    const lease = this.#leaseFor(call, redact);
    this.#creating.set(key, { call, redact, lease });
    this.#hooks.ask({
      type: "terminal_create",
      key,
      command: redact(call.command),
      args: call.args.map((text) => redact(text)),
      ...(call.cwd === undefined ? {} : { cwd: redact(call.cwd) }),
      env: call.env.map(({ name }) => redact(name)),
      ...(lease === undefined ? {} : { citizen: lease.citizen }),
    });
  }

  /** A command with a secret must not travel over the Bus: agentd runs it. */
  #leaseFor({ command, args, cwd = "", env }: TerminalCreateCall, redact: Redact): Lease | undefined {
    const lease = this.#options.editors.find("terminal");
    const words = [command, cwd, ...args, ...env.flatMap(({ name, value }) => [name, value])];
    return words.every((word) => redact(word) === word) ? lease : undefined;
  }

  /** Binds to the terminal now; it may be released before the response's turn in the queue. */
  output(request: ClientSideRequest, terminal: string): void {
    const running = this.#terminals.get(terminal);
    if (!running || running.isReleased) return request.refuse(terminalNotFound(terminal));
    running.output(request, this.#queue);
  }

  wait(request: ClientSideRequest, terminal: string): void {
    const running = this.#terminals.get(terminal);
    if (running && !running.isReleased) running.waiters.wait(request);
    else request.refuse(terminalNotFound(terminal));
  }

  /** Cancels a wait for an exit. Other requests are short and are answered as usual. */
  withdraw(request: ClientSideRequest): void {
    const waited = [...this.#terminals.values()].some((running) => running.waiters.cancel(request));
    if (waited) request.refuse({ code: RPC.requestCancelled, message: "the wait was cancelled" });
  }

  act(effect: TerminalEffect): void {
    switch (effect.type) {
      case "start_terminal":
        return this.#start(effect);
      case "tell_exit": {
        const running = this.#terminals.get(effect.terminal);
        running?.waiters.onExitLogged(effect);
        if (running?.isReleased === true) this.#terminals.delete(effect.terminal);
        return;
      }
      case "kill_terminal":
        return this.#answerAfter(effect.key, this.#terminals.get(effect.terminal)?.kill());
      case "release_terminal":
        return this.#answerAfter(
          effect.key,
          this.#release(effect.terminal, (running) => running.release()),
        );
    }
  }

  discard(key: number | null): void {
    if (key !== null) this.#creating.delete(key);
  }

  async end(): Promise<void> {
    this.#ending.abort();
    for (const terminal of this.#terminals.keys()) void this.#release(terminal, (running) => running.end());
    await Promise.all([...this.#releases, ...this.#waiting]);
  }

  #start(start: Start): void {
    const { key } = start;
    const create = key === null ? undefined : this.#creating.get(key);
    this.discard(key);
    if (!create) return this.#fail(start, sessionEnding);
    if (create.lease === undefined) this.#startOwn(start, create);
    else this.#track(this.#startInEditor(start, create, create.lease));
  }

  #startOwn(start: Start, create: Create): void {
    const { key, terminal } = start;
    const { wanted, kept } = this.#tailBytes(create);
    const running = new RunningTerminal(wanted, this.#spawn(terminal, create, kept));
    this.#terminals.set(terminal, running);
    void running.started.then((started) => {
      if ("terminal" in started) {
        this.#pending.take(key)?.reply({ terminalId: terminal });
        return;
      }
      this.#terminals.delete(terminal);
      running.waiters.fail(terminalNotFound(terminal));
      this.#fail(start, create.redact(started.failure.message));
    });
  }

  async #startInEditor(start: Start, create: Create, lease: Lease): Promise<void> {
    const { key, terminal } = start;
    const { call, redact } = create;
    const { editors, directories, reserved, limits, withUserUmask } = this.#options;
    const cwd = call.cwd ?? this.#options.cwd;
    {
      using directory = pinDirectory(cwd, { directories, reserved });
      if (!directory.ok) return this.#fail(start, redactedMessage(directory.refusal.message, cwd, redact));
    }
    const { wanted, kept } = this.#tailBytes(create);
    const { command, args, env } = call;
    const created = await createInEditor(
      { terminal, command, args, env, cwd, callMs: limits.leaseCallMs },
      {
        editors,
        lease,
        outputBytesMax: wanted,
        keptBytesMax: kept,
        ending: this.#ending.signal,
        track: (work) => this.#track(work),
        onExit: ({ exitCode, signal }, { output, truncated }) => {
          const tail = redact(output, truncated);
          this.#hooks.tell({ type: "terminal_exited", terminal, exitCode, signal, tail, truncated });
        },
        onLost: () => this.#hooks.tell({ type: "terminal_release", key: null, terminal }),
      },
    );
    if (created.kind === "created") {
      if (this.#ending.signal.aborted) return await created.terminal.end();
      this.#terminals.set(terminal, created.terminal);
      this.#pending.take(key)?.reply({ terminalId: terminal });
    } else if (created.kind === "failed" || this.#ending.signal.aborted) {
      this.#fail(start, created.kind === "failed" ? redact(created.message) : sessionEnding);
    } else {
      this.#hooks.fault("editor-away", redact(`${created.why}: agentd has run the command itself`));
      withUserUmask(() => this.#startOwn(start, create));
      this.#hooks.flush();
    }
  }

  #fail({ key, terminal }: Start, message: string): void {
    this.#hooks.tell({ type: "terminal_failed", key, terminal, message });
  }

  /** The log keeps the usual tail for people even if the agent asks for less. */
  #tailBytes({ call }: Create): { readonly wanted: number; readonly kept: number } {
    const { limits } = this.#options;
    const wanted = tailBytesFor(call.outputByteLimit, limits);
    return { wanted, kept: Math.max(wanted, limits.terminalTailBytes) };
  }

  #track(work: Promise<void>): void {
    const waiting = work.finally(() => this.#waiting.delete(waiting));
    this.#waiting.add(waiting);
  }

  /** Keeps the directory pinned until the command has started in it. Never rejects. */
  async #spawn(terminal: string, { call, redact }: Create, tailBytesMax: number): Promise<StartedTerminal> {
    const { cwd, directories, reserved, env: base, limits } = this.#options;
    const { tell, record } = this.#hooks;
    const marker = { name: terminalMarker, value: randomId(randomBytes) };
    const environment = terminalEnvironment({ base, requested: call.env, marker });
    if ("refusal" in environment) return failure(environment.refusal);
    using directory = pinDirectory(call.cwd ?? cwd, { directories, reserved });
    if (!directory.ok) return failure(redactedMessage(directory.refusal.message, call.cwd ?? cwd, redact));
    const { command, args } = call;
    const started = await startTerminal({
      command,
      args,
      cwd: directory.path,
      env: environment.env,
      marker,
      tailBytesMax,
      termGraceMs: limits.terminalGraceMs,
      onExit({ exitCode, signal }) {
        if (!("terminal" in started)) return;
        const { output, truncated } = started.terminal.output();
        tell({ type: "terminal_exited", terminal, exitCode, signal, tail: redact(output, truncated), truncated });
      },
    });
    if (!("terminal" in started)) return failure(started.failure.message.replaceAll(directory.path, call.cwd ?? cwd));
    const { identity } = started.terminal;
    if (identity) record(childOf(identity), true);
    return started;
  }

  /** Invalidates the id. The entry stays until the exit is logged, since a request may wait for it. */
  #release(terminal: string, how: (running: ServedTerminal) => Promise<void>): Promise<void> {
    const running = this.#terminals.get(terminal);
    if (!running) return Promise.resolve();
    if (running.waiters.isExitLogged) this.#terminals.delete(terminal);
    const gone = this.#finishRelease(running, how).finally(() => this.#releases.delete(gone));
    this.#releases.add(gone);
    return gone;
  }

  async #finishRelease(running: ServedTerminal, how: (running: ServedTerminal) => Promise<void>): Promise<void> {
    await how(running);
    if (!(running instanceof RunningTerminal)) return;
    const started = await running.started;
    const identity = "terminal" in started ? started.terminal.identity : undefined;
    if (identity) this.#hooks.record(childOf(identity), false);
  }

  #answerAfter(key: number | null, done: Promise<RpcError | undefined | void> | undefined): void {
    void Promise.resolve(done).then((problem) => {
      const request = this.#pending.take(key);
      if (problem) request?.refuse(problem);
      else request?.reply({});
    });
  }
}

function variablesOf({ env }: TerminalCreateCall): Readonly<Record<string, string>> {
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

function failure(message: string): StartedTerminal {
  return { failure: { code: "REFUSED", message } };
}

/** Returns how much of a terminal's output is kept for an agent that asked for so many bytes. */
export function tailBytesFor(asked: number | undefined, limits: Limits): number {
  return Math.min(asked ?? limits.terminalTailBytes, limits.terminalTailBytesMax);
}
