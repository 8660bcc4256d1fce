// SPDX-License-Identifier: MIT OR Apache-2.0
// One terminal of an agent from its start to its release, with the requests that wait for its exit.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import type { RpcError } from "../../acp-client/jsonrpc/message.ts";
import { utf8Tail } from "../../acp-client/process/byte-ring.ts";
import { ExitWaiters } from "./exit-waiters.ts";
import { maxJsonBytes } from "./json-bytes.ts";
import type { ResponseQueue } from "./response-queue.ts";
import type { StartedTerminal, Terminal, TerminalExit } from "./terminals/terminal.ts";

/** A terminal of agentd's own or of an editor. */
export interface ServedTerminal {
  readonly waiters: ExitWaiters;
  /** The agent has released it: its id is no longer valid. */
  readonly isReleased: boolean;
  /** Responds at the request's turn in the queue, also if the terminal is released before. */
  output(request: ClientSideRequest, queue: ResponseQueue): void;
  /** Resolves to why it was not killed. */
  kill(): Promise<RpcError | undefined>;
  release(): Promise<void>;
  /** Releases it for a session that ends, and waits for nobody but its own processes. */
  end(): Promise<void>;
}

export interface TerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus?: TerminalExit;
}

/** Cuts the beginning of an output that is longer than the agent wants. */
export function withinBytes(output: TerminalOutput, bytesMax: number): TerminalOutput {
  const bytes = Buffer.from(output.output);
  return bytes.length <= bytesMax ? output : { ...output, output: utf8Tail(bytes, bytesMax), truncated: true };
}

export class RunningTerminal implements ServedTerminal {
  readonly waiters = new ExitWaiters();
  /** Resolves also if the start failed. */
  readonly started: Promise<StartedTerminal>;
  readonly #outputBytesMax: number;
  #terminal: Terminal | undefined;
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

  get isReleased(): boolean {
    return this.#released;
  }

  output(request: ClientSideRequest, queue: ResponseQueue): void {
    this.#reservedOutputs += 1;
    queue.enqueue(request, () => {
      const result = this.#finalOutput ?? this.#output();
      this.#reservedOutputs -= 1;
      if (this.#reservedOutputs === 0) this.#finalOutput = undefined;
      request.reply(result, queue.reserve(maxJsonBytes(Buffer.byteLength(result.output))));
    });
  }

  #output(): TerminalOutput {
    if (!this.#terminal) return { output: "", truncated: false };
    const { output, truncated, exit } = this.#terminal.output();
    const exitStatus = exit === undefined ? {} : { exitStatus: exit };
    return withinBytes({ output, truncated, ...exitStatus }, this.#outputBytesMax);
  }

  async kill(): Promise<undefined> {
    await this.started;
    await this.#terminal?.kill();
  }

  async release(): Promise<void> {
    this.#released = true;
    if (this.#reservedOutputs > 0) this.#finalOutput = this.#output();
    await this.started;
    await this.#terminal?.release();
  }

  async end(): Promise<void> {
    await this.release();
  }
}
