// SPDX-License-Identifier: MIT OR Apache-2.0
// One output of the process. A stream for it costs a short command more than all that it has to say, so the first words
// go straight to the descriptor, as the stream would write them too; the stream is for what is long or has to wait.
import { writeSync } from "node:fs";
import type { OutputStream } from "./context.ts";

/** What an empty pipe takes without making us wait, with room to spare. */
const atOnceBytesMax = 16 * 1024;

export class OutputDescriptor {
  readonly #descriptor: number;
  readonly #open: () => OutputStream;
  readonly #failed: (error: NodeJS.ErrnoException) => void;
  #stream: OutputStream | undefined;
  #bytes = 0;

  /** `failed` is told why the other side took nothing; the stream's errors go to it as well. */
  constructor(descriptor: number, open: () => OutputStream, failed: (error: NodeJS.ErrnoException) => void) {
    this.#descriptor = descriptor;
    this.#open = open;
    this.#failed = failed;
  }

  /** Made when it is first asked for; from then on everything goes through it, so that the order stays. */
  get stream(): OutputStream {
    this.#stream ??= this.#open().on("error", this.#failed);
    return this.#stream;
  }

  /** What could not be written at once, to be written to the stream; mostly nothing. */
  write(text: string): string | Uint8Array {
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

  /** Resolves when all that went through the stream is with the kernel. */
  flushed(then: () => void): void {
    if (this.#stream === undefined) then();
    else this.#stream.write("", then);
  }
}
