// SPDX-License-Identifier: MIT OR Apache-2.0
import { errorLine, resultLine, type RequestId, type RpcError } from "./message.ts";

export interface IncomingRequestOptions {
  readonly id: RequestId;
  /** The id's JSON text as the peer wrote it. */
  readonly rawId: string;
  readonly key: number;
  readonly method: string;
  readonly params: unknown;
  readonly size: number;
  readonly answer: (line: string, written?: () => void) => void;
}

/** A request from the peer. Only the first answer is sent, later ones are dropped. */
export class IncomingRequest {
  readonly id: RequestId;
  /** Unique within one Peer, whatever ids the other side uses. */
  readonly key: number;
  readonly method: string;
  readonly params: unknown;
  /** The length of its line, in UTF-16 units. */
  readonly size: number;
  readonly #rawId: string;
  #answer: IncomingRequestOptions["answer"] | undefined;

  constructor(options: IncomingRequestOptions) {
    this.id = options.id;
    this.key = options.key;
    this.method = options.method;
    this.params = options.params;
    this.size = options.size;
    this.#rawId = options.rawId;
    this.#answer = options.answer;
  }

  /** Whether it was answered, or can no longer be. */
  get settled(): boolean {
    return this.#answer === undefined;
  }

  /** `written` is called once the answer is written, and never if it is dropped. */
  reply(result: object, written?: () => void): void {
    this.#once(resultLine(this.#rawId, result), written);
  }

  refuse(error: RpcError): void {
    this.#once(errorLine(this.#rawId, error));
  }

  /** Drops later answers, because the connection is closed. */
  drop(): void {
    this.#answer = undefined;
  }

  #once(line: string, written?: () => void): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(line, written);
  }
}
