// SPDX-License-Identifier: MIT OR Apache-2.0

import type { OnReadOpts, Socket } from "node:net";

/** What one read of a socket brings at most. */
const readBytesMax = 64 * 1024;

/**
 * What a socket reads, without the stream for it: no stream is needed where nobody pauses, and a short command would
 * spend its time on compiling one.
 */
export class Inlet implements OnReadOpts {
  /** Read into again and again. */
  readonly buffer = Buffer.allocUnsafeSlow(readBytesMax);
  /** Without one, what comes is held, and nothing more is read. */
  receive: ((chunk: Buffer) => void) | undefined;
  #held: Buffer[] = [];

  /** False stops the reading. */
  readonly callback = (bytes: number): boolean => {
    const chunk = Buffer.allocUnsafe(bytes);
    chunk.set(this.buffer.subarray(0, bytes));
    if (this.receive === undefined) this.#held.push(chunk);
    else this.receive(chunk);
    // It may have ended with the chunk: what comes next is held then, and stops the reading.
    return this.receive !== undefined || this.#held.length === 0;
  };

  hold(rest: Buffer | undefined): void {
    this.receive = undefined;
    if (rest !== undefined && rest.length > 0) this.#held.push(rest);
  }

  /** Delivers what is held, and goes on to read; nothing is delivered from within. */
  open(receive: (chunk: Buffer) => void, socket: Socket): void {
    if (this.#held.length === 0) {
      this.receive = receive;
      return;
    }
    setImmediate(() => {
      for (const chunk of this.#held.splice(0)) receive(chunk);
      this.receive = receive;
      socket.resume();
    });
  }
}
