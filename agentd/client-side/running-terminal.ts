// SPDX-License-Identifier: MIT OR Apache-2.0
// One terminal of an agent from its start to its release, with those who wait for its end.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import type { RpcError } from "../../acp-client/jsonrpc/message.ts";
import { utf8Tail } from "../../acp-client/process/byte-ring.ts";
import type { StartedTerminal, Terminal, TerminalExit } from "./terminals/terminal.ts";

export interface TerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus?: TerminalExit;
}

export class RunningTerminal {
  readonly #outputBytesMax: number;
  readonly #started: Promise<StartedTerminal>;
  readonly #waiters = new Set<ClientSideRequest>();
  #terminal: Terminal | undefined;
  #exit: TerminalExit | undefined;
  #released = false;
  /** Requests for the output that wait for their turn. */
  #reservedOutputs = 0;
  /** For them, when the terminal is released before it is their turn. */
  #finalOutput: TerminalOutput | undefined;

  /** `outputBytesMax`: what the agent wants to have of its output, which may be less than is kept. */
  constructor(outputBytesMax: number, started: Promise<StartedTerminal>) {
    this.#outputBytesMax = outputBytesMax;
    this.#started = started.then((result) => {
      if ("terminal" in result) this.#terminal = result.terminal;
      return result;
    });
  }

  /** Resolves when it has come up, or has not. */
  get started(): Promise<StartedTerminal> {
    return this.#started;
  }

  /** Its agent can name it no longer. */
  get isReleased(): boolean {
    return this.#released;
  }

  /** Its end is in the log. */
  get isExitLogged(): boolean {
    return this.#exit !== undefined;
  }

  /** How many requests wait for its end. */
  get waiterCount(): number {
    return this.#waiters.size;
  }

  /** It is asked for its output. What is returned is to be called once, when it is the request's turn, for the result. */
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

  /** Answered when the end is in the log. */
  wait(request: ClientSideRequest): void {
    if (this.#exit) request.reply(this.#exit);
    else this.#waiters.add(request);
  }

  /** Whether it was waiting. */
  cancelWait(request: ClientSideRequest): boolean {
    return this.#waiters.delete(request);
  }

  /** Its end has been logged. */
  onExitLogged({ exitCode, signal }: TerminalExit): void {
    this.#exit = { exitCode, signal };
    for (const request of this.#waiters) request.reply(this.#exit);
    this.#waiters.clear();
  }

  /** It did not come up: who guessed its name and waits is answered too. */
  fail(error: RpcError): void {
    for (const request of this.#waiters) request.refuse(error);
    this.#waiters.clear();
  }

  async kill(): Promise<void> {
    await this.#started;
    await this.#terminal?.kill();
  }

  async release(): Promise<void> {
    this.#released = true;
    if (this.#reservedOutputs > 0) this.#finalOutput = this.#output();
    await this.#started;
    await this.#terminal?.release();
  }
}
