// SPDX-License-Identifier: MIT OR Apache-2.0
// The terminals that agents have in the editor. On the Bus they have the ids that agentd gave them, which are also those
// in the agents' tool calls.
import type { Clock } from "../../bus-client/index.ts";
import { numberOf } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";
import { type EditorCalls, editorMs, Refusal, type Result } from "./editor-calls.ts";

export interface TerminalRequest {
  /** agentd's id, unique in the session. By default the editor's. */
  readonly terminal?: string | undefined;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly output_byte_limit?: number | undefined;
}

export interface ExitStatus {
  readonly exit_code: number | null;
  readonly signal: string | null;
}

export interface TerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
  readonly exit_status?: ExitStatus;
}

export interface EditorTerminalsOptions {
  readonly calls: EditorCalls;
  readonly clock: Clock;
  readonly holds: (session: string) => boolean;
}

interface Terminal {
  readonly editorId: string;
  readonly outputBytesMax: number;
  /** Aborted when it is released. */
  readonly gone: AbortController;
  /** How its command ended, or the editor's answer that is to come. */
  exit: Promise<ExitStatus> | undefined;
}

/** Terminals of one session, with those that are being created. */
export const terminalsMax = 32;
/** How long an editor may take to create one; what comes after `editorMs` is released again. */
const lateCreateMs = 120_000;
/** agentd asks again for an end that takes longer than this. */
export const waitMs = 45_000;
const outputBytesMax = 1024 * 1024;
const idCharactersMax = 1024;
/** From the answer to a release to the answer to a wait, which still tells how the command ended. */
const exitAfterReleaseMs = 1_000;

export class EditorTerminals {
  readonly #options: EditorTerminalsOptions;
  readonly #sessions = new Map<string, Map<string, Terminal>>();
  /** Numbers of terminals that are being created, by session. */
  readonly #creating = new Map<string, number>();

  constructor(options: EditorTerminalsOptions) {
    this.#options = options;
  }

  editorId(session: string, id: string): string | undefined {
    return this.#sessions.get(session)?.get(id)?.editorId;
  }

  async create(session: string, request: TerminalRequest): Promise<string> {
    const creating = this.#creating.get(session) ?? 0;
    if ((this.#sessions.get(session)?.size ?? 0) + creating >= terminalsMax)
      throw new Refusal("BUSY", `the session has ${terminalsMax} terminals in the editor`);
    this.#creating.set(session, creating + 1);
    let isLate = false;
    const created = this.#create(session, request, () => isLate).finally(() => this.#created(session));
    const late = this.#after(editorMs, () => {
      isLate = true;
      throw new Refusal("TIME_LIMIT", `the editor did not create a terminal within ${editorMs} ms`);
    });
    try {
      return await Promise.race([created, late.reached]);
    } finally {
      late.cancel();
      created.catch(() => {});
    }
  }

  async output(session: string, id: string): Promise<TerminalOutput> {
    const terminal = this.#find(session, id);
    const { output, truncated, exitStatus } = await this.#call("terminal/output", session, terminal);
    if (typeof output !== "string") throw malformed("terminal/output");
    const tail = lastBytes(output, terminal.outputBytesMax);
    const exit = isRecord(exitStatus) ? { exit_status: toExitStatus(exitStatus) } : {};
    return { output: tail, truncated: truncated === true || tail !== output, ...exit };
  }

  /** Resolves to undefined if the command still runs after `waitMs`. */
  async wait(session: string, id: string): Promise<ExitStatus | undefined> {
    const terminal = this.#find(session, id);
    terminal.exit ??= this.#exitOf(terminal, session);
    const { exit } = terminal;
    const late = this.#after(waitMs, () => undefined);
    try {
      return await Promise.race([exit, late.reached]);
    } finally {
      late.cancel();
      exit.catch(() => {});
    }
  }

  async kill(session: string, id: string): Promise<object> {
    await this.#call("terminal/kill", session, this.#find(session, id));
    return {};
  }

  async release(session: string, id: string): Promise<object> {
    const terminal = this.#find(session, id);
    const left = this.#sessions.get(session);
    left?.delete(id);
    if (left?.size === 0) this.#sessions.delete(session);
    try {
      await this.#call("terminal/release", session, terminal);
      return {};
    } finally {
      this.#endWait(terminal);
    }
  }

  /** Releases all terminals of a session that the face lets go of. Never rejects. */
  async releaseAll(session: string): Promise<void> {
    const ids = [...(this.#sessions.get(session)?.keys() ?? [])];
    await Promise.allSettled(ids.map((id) => this.release(session, id)));
  }

  async #create(session: string, request: TerminalRequest, isLate: () => boolean): Promise<string> {
    const { terminal, output_byte_limit: outputByteLimit, cwd, ...rest } = request;
    const params = {
      sessionId: session,
      ...rest,
      ...(cwd === undefined ? {} : { cwd }),
      ...(outputByteLimit === undefined ? {} : { outputByteLimit }),
    };
    const { terminalId: editorId } = await this.#options.calls.call("terminal/create", params, lateCreateMs);
    if (typeof editorId !== "string" || editorId.length > idCharactersMax) throw malformed("terminal/create");
    const id = terminal ?? editorId;
    const terminals = this.#sessions.get(session) ?? new Map<string, Terminal>();
    const bytesMax = Math.min(outputByteLimit ?? outputBytesMax, outputBytesMax);
    terminals.set(id, { editorId, outputBytesMax: bytesMax, gone: new AbortController(), exit: undefined });
    this.#sessions.set(session, terminals);
    if (!isLate() && this.#options.holds(session)) return id;
    await this.release(session, id);
    throw new Refusal("SESSION_UNKNOWN", "the session was let go of meanwhile");
  }

  #endWait({ exit, gone }: Terminal): void {
    if (exit === undefined) return;
    const end = (): void => gone.abort(new Refusal("TERMINAL_UNKNOWN", "the terminal was released"));
    const cancel = this.#options.clock.after(exitAfterReleaseMs, end);
    exit.then(cancel, cancel);
  }

  #created(session: string): void {
    const left = (this.#creating.get(session) ?? 1) - 1;
    if (left > 0) this.#creating.set(session, left);
    else this.#creating.delete(session);
  }

  async #exitOf(terminal: Terminal, session: string): Promise<ExitStatus> {
    const params = { sessionId: session, terminalId: terminal.editorId };
    try {
      return toExitStatus(await this.#options.calls.callUntil("terminal/wait_for_exit", params, terminal.gone.signal));
    } catch (error) {
      terminal.exit = undefined;
      throw error;
    }
  }

  #call(method: string, session: string, { editorId: terminalId }: Terminal): Promise<Result> {
    return this.#options.calls.call(method, { sessionId: session, terminalId });
  }

  #find(session: string, id: string): Terminal {
    const terminal = this.#sessions.get(session)?.get(id);
    if (terminal === undefined)
      throw new Refusal("TERMINAL_UNKNOWN", `the session has no terminal ${id} in the editor`);
    return terminal;
  }

  #after<T>(ms: number, end: () => T): { readonly reached: Promise<T>; readonly cancel: () => void } {
    let cancel = (): void => {};
    const reached = new Promise<void>((resolve) => (cancel = this.#options.clock.after(ms, resolve))).then(end);
    return { reached, cancel: () => cancel() };
  }
}

function toExitStatus({ exitCode, signal }: Result): ExitStatus {
  const code = numberOf(exitCode);
  return {
    exit_code: typeof code === "number" && Number.isSafeInteger(code) ? code : null,
    signal: typeof signal === "string" ? signal : null,
  };
}

export function malformed(method: string): Refusal {
  return new Refusal("EDITOR_FAILED", `the editor answered ${method} wrongly`);
}

/** The end of the text, at most so many UTF-8 bytes, cut between characters. */
function lastBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let start = bytes.length - bytesMax;
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString();
}
