// SPDX-License-Identifier: MIT OR Apache-2.0
// One terminal of an agent from its start to its release, with the requests that wait for its exit.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import type { RpcError } from "../../acp-client/jsonrpc/message.ts";
import { utf8Tail } from "../../acp-client/process/byte-ring.ts";
import type { StartedTerminal, Terminal, TerminalExit } from "./terminals/terminal.ts";

interface TerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus?: TerminalExit;
}

export class RunningTerminal {
  /** Resolves also if the start failed. */
  readonly started: Promise<StartedTerminal>;
  readonly #outputBytesMax: number;
  readonly #waiters = new Set<ClientSideRequest>();
  #terminal: Terminal | undefined;
  #exit: TerminalExit | undefined;
  #released = false;
  /** Output requests that still wait in the response queue. */
  #reservedOutputs = 0;
  /** The snapshot for those requests if the terminal is released before their turn. */
  #finalOutput: TerminalOutput | undefined;

  /** `outputBytesMax`: the agent's own limit, which may be below what is kept for the log. */
  constructor(outputBytesMax: number, started: Promise<StartedTerminal>) {
    this.#outputBytesMax = outputBytesMax;
    this.started = started.then((result) => {
      if ("terminal" in result) this.#terminal = result.terminal;
      return result;
    });
  }

  /** The agent has released it: its id is no longer valid. */
  get isReleased(): boolean {
    return this.#released;
  }

  get isExitLogged(): boolean {
    return this.#exit !== undefined;
  }

  get waiterCount(): number {
    return this.#waiters.size;
  }

  /** Call the returned function once, at the request's turn in the queue. It works after a release, too. */
  reserveOutput(): () => TerminalOutput {
    this.#reservedOutputs += 1;
    return () => {
      const output = this.#finalOutput ?? this.#output();
      this.#reservedOutputs -= 1;
      if (this.#reservedOutputs === 0) this.#finalOutput = undefined;
      return output;
    };
  }

  #output(): TerminalOutput {
    if (!this.#terminal) return { output: "", truncated: false };
    const { output, truncated, exit } = this.#terminal.output();
    const exitStatus = exit === undefined ? {} : { exitStatus: exit };
    const bytes = Buffer.from(output);
    if (bytes.length <= this.#outputBytesMax) return { output, truncated, ...exitStatus };
    return { output: utf8Tail(bytes, this.#outputBytesMax), truncated: true, ...exitStatus };
  }

  /** Responds when the exit is in the log. */
  wait(request: ClientSideRequest): void {
    if (this.#exit) request.reply(this.#exit);
    else this.#waiters.add(request);
  }

  /** Returns whether the request was waiting. */
  cancelWait(request: ClientSideRequest): boolean {
    return this.#waiters.delete(request);
  }

  onExitLogged({ exitCode, signal }: TerminalExit): void {
    this.#exit = { exitCode, signal };
    for (const request of this.#waiters) request.reply(this.#exit);
    this.#waiters.clear();
  }

  /** Refuses waiting requests after a failed start: an agent can guess the id before it has the response. */
  fail(error: RpcError): void {
    for (const request of this.#waiters) request.refuse(error);
    this.#waiters.clear();
  }

  async kill(): Promise<void> {
    await this.started;
    await this.#terminal?.kill();
  }

  async release(): Promise<void> {
    this.#released = true;
    if (this.#reservedOutputs > 0) this.#finalOutput = this.#output();
    await this.started;
    await this.#terminal?.release();
  }
}
