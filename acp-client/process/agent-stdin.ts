// SPDX-License-Identifier: MIT OR Apache-2.0
// The writing end of an agent's stdin. If the reader has closed it, a write fails later by an `error` event. Without a
// listener, that would crash this process.
import type { Writable } from "node:stream";

export class AgentStdin {
  readonly #pipe: Writable | undefined;

  /** `onGone` is called when a write finds that the reader closed the pipe. Nothing else detects this. */
  constructor(pipe: Writable | undefined, onGone: () => void = () => {}) {
    this.#pipe = pipe;
    pipe?.on("error", () => {
      pipe.destroy();
      onGone();
    });
  }

  /** Returns false if the pipe is full (the text is queued) or closed (it is dropped). See AgentProcess.write. */
  write(text: string, written?: () => void): boolean {
    if (this.#pipe?.writable !== true) return false;
    // A Buffer makes the stream count its queue in bytes, not in UTF-16 units.
    return this.#pipe.write(Buffer.from(text, "utf8"), (error) => {
      if (!error) written?.();
    });
  }

  get writableBytes(): number {
    return this.#pipe === undefined || this.#pipe.destroyed ? 0 : this.#pipe.writableLength;
  }

  /** Closes the pipe after the queued text. */
  close(): void {
    if (this.#pipe?.writable === true) this.#pipe.end();
  }

  destroy(): void {
    this.#pipe?.destroy();
  }
}
