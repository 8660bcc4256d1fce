// SPDX-License-Identifier: MIT OR Apache-2.0
// One output of the process. A stream for it costs a short command more than all that it has to say, so the first words
// go straight to the descriptor, as the stream would write them too; the stream is for what is long or has to wait.
import { writeSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Sink } from "./text-output.ts";

/** What an empty pipe takes without making us wait, with room to spare. */
const atOnceBytesMax = 16 * 1024;

type OutputStream = Writable & { readonly columns?: number };

export class OutputDescriptor implements Sink {
  readonly #descriptor: number;
  readonly #open: () => OutputStream;
  readonly #failed: (error: NodeJS.ErrnoException) => void;
  #stream: OutputStream | undefined;
  #bytes = 0;
  #isTTY: boolean | undefined;

  /** `failed` is told why the other side took nothing; the stream's errors go to it as well. */
  constructor(descriptor: number, open: () => OutputStream, failed: (error: NodeJS.ErrnoException) => void) {
    this.#descriptor = descriptor;
    this.#open = open;
    this.#failed = failed;
  }

  get isTTY(): boolean {
    this.#isTTY ??= process.getBuiltinModule("node:tty").isatty(this.#descriptor);
    return this.#isTTY;
  }

  get columns(): number | undefined {
    return this.isTTY ? this.#opened().columns : undefined;
  }

  write(text: string): Promise<void> {
    const left = this.#writtenAtOnce(text);
    return left.length === 0 ? Promise.resolve() : streamed(this.#opened(), left);
  }

  /** Calls back when all that went through the stream is with the kernel. */
  flushed(then: () => void): void {
    if (this.#stream === undefined) then();
    else this.#stream.write("", then);
  }

  /** Once there is a stream everything goes through it, so that the order stays. */
  #opened(): OutputStream {
    this.#stream ??= this.#open().on("error", this.#failed);
    return this.#stream;
  }

  /** What could not be written at once, for the stream; mostly nothing. */
  #writtenAtOnce(text: string): string | Uint8Array {
    const bytes = Buffer.byteLength(text);
    this.#bytes += bytes;
    if (this.#stream !== undefined || this.#bytes > atOnceBytesMax) return text;
    try {
      const written = writeSync(this.#descriptor, text);
      return written === bytes ? "" : Buffer.from(text).subarray(written);
    } catch (thrown) {
      const error = thrown as NodeJS.ErrnoException;
      if (error.code === "EAGAIN") return text;
      this.#failed(error);
      return "";
    }
  }
}

/** Writes to a stream. A reader that is slower than we are holds us up, and nothing piles up here. */
export function streamed(stream: Writable, text: string | Uint8Array): Promise<void> {
  if (stream.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      stream.off("drain", over);
      stream.off("close", over);
      resolve();
    };
    stream.on("drain", over);
    stream.on("close", over);
  });
}
