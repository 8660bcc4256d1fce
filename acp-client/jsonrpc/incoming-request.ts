// SPDX-License-Identifier: MIT OR Apache-2.0
import { errorLine, resultLine } from "./message.ts";
import type { RequestId, RpcError } from "./message.ts";

export interface IncomingRequestOptions {
  readonly id: RequestId;
  /** The id's JSON text, as the other side wrote it. */
  readonly rawId: string;
  readonly key: number;
  readonly method: string;
  readonly params: unknown;
  readonly size: number;
  readonly answer: (line: string, written?: () => void) => void;
}

/** A request of the other side. It is answered once: whatever comes after the first answer is dropped. */
export class IncomingRequest {
  readonly id: RequestId;
  /** Unique in one peer's life, whatever ids the other side uses. */
  readonly key: number;
  readonly method: string;
  readonly params: unknown;
  /** The length of its line in UTF-16 units, for those who hold it back. */
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

  /** Answered, or nobody is left to answer. */
  get settled(): boolean {
    return this.#answer === undefined;
  }

  /** `written` is called when the answer has left; never where it is dropped. */
  reply(result: object, written?: () => void): void {
    this.#once(resultLine(this.#rawId, result), written);
  }

  refuse(error: RpcError): void {
    this.#once(errorLine(this.#rawId, error));
  }

  /** The conversation is over: there is nobody to answer. */
  drop(): void {
    this.#answer = undefined;
  }

  #once(line: string, written?: () => void): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(line, written);
  }
}
