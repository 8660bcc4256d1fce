// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Transport, TransportListener } from "./transport.ts";

/** Creates two connected transports inside this process. Messages arrive in order, in a later turn of the event loop. */
export function localTransportPair(): [LocalTransport, LocalTransport] {
  const left = new LocalTransport();
  const right = new LocalTransport();
  left.join(right);
  right.join(left);
  return [left, right];
}

/**
 * Delivers all queued messages in one turn of the event loop, so that their answers can be corked together. The sender
 * bounds the queue by checking `queuedMessages` or `bufferedBytes` before it sends, as with a socket.
 */
export class LocalTransport implements Transport {
  readonly kind = "local";
  #other: LocalTransport | undefined;
  #listener: TransportListener | undefined;
  #incoming: { readonly text: string; readonly body: Buffer | undefined }[] = [];
  #incomingCharacters = 0;
  #scheduled = false;
  #closed = false;
  #ended = false;

  /** Called only by `localTransportPair`. */
  join(other: LocalTransport): void {
    this.#other = other;
  }

  get isOpen(): boolean {
    return !this.#closed && !this.#other!.#ended;
  }

  /** The number of messages not yet delivered to the other end. */
  get queuedMessages(): number {
    return this.#other!.#incoming.length;
  }

  /** Counts strings in UTF-16 units, which approximates their bytes in memory. */
  get bufferedBytes(): number {
    return this.#other!.#incomingCharacters;
  }

  send(text: string, body?: Buffer): void {
    const other = this.#other!;
    if (!this.isOpen) return;
    other.#incoming.push({ text, body });
    other.#incomingCharacters += text.length + (body?.length ?? 0);
    other.#schedule();
  }

  cork(): void {}

  uncork(): void {}

  listen(listener: TransportListener): void {
    this.#listener = listener;
    this.#schedule();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#schedule();
    const other = this.#other!;
    other.#closed = true;
    other.#schedule();
  }

  destroy(): void {
    this.#incoming = [];
    this.#incomingCharacters = 0;
    this.close();
  }

  #schedule(): void {
    if (this.#scheduled || this.#ended || this.#listener === undefined) return;
    this.#scheduled = true;
    setImmediate(() => this.#deliver());
  }

  #deliver(): void {
    this.#scheduled = false;
    const messages = this.#incoming;
    this.#incoming = [];
    this.#incomingCharacters = 0;
    for (const { text, body } of messages) this.#listener!.message(text, body);
    // A delivered message may have closed the pair or queued more messages.
    if (this.#incoming.length > 0) this.#schedule();
    else if (this.#closed && !this.#ended) {
      this.#ended = true;
      this.#listener!.close();
    }
  }
}
