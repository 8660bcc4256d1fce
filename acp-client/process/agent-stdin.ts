// SPDX-License-Identifier: MIT OR Apache-2.0
// The writing end of an agent's stdin. A write to a reader that is gone fails a tick later, as an event: without a
// listener for it that would end this process.
import type { Writable } from "node:stream";

export class AgentStdin {
  readonly #pipe: Writable | undefined;

  /** `onGone`: a write found that nobody can read it any more; nothing else tells of that. */
  constructor(pipe: Writable | undefined, onGone: () => void = () => {}) {
    this.#pipe = pipe;
    pipe?.on("error", () => {
      pipe.destroy();
      onGone();
    });
  }

  /** False when the pipe is full (the text is queued) or gone (it is dropped). `written`: the kernel has all of it. */
  write(text: string, written?: () => void): boolean {
    if (this.#pipe?.writable !== true) return false;
    // As bytes, so that what waits is counted in bytes.
    return this.#pipe.write(Buffer.from(text, "utf8"), (error) => {
      if (!error) written?.();
    });
  }

  get writableBytes(): number {
    return this.#pipe === undefined || this.#pipe.destroyed ? 0 : this.#pipe.writableLength;
  }

  /** What was written before still goes out. */
  close(): void {
    if (this.#pipe?.writable === true) this.#pipe.end();
  }

  destroy(): void {
    this.#pipe?.destroy();
  }
}
