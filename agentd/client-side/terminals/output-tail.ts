// SPDX-License-Identifier: MIT OR Apache-2.0
// The end of what a command wrote, to stdout and stderr as it came: bounded in bytes, cut at a character.
import { ByteRing, nextCharacterStart } from "../../../acp-client/process/byte-ring.ts";
import { Utf8Repair } from "./utf8-repair.ts";

/** Takes what one stream says. A character of it that is cut between two chunks is not mixed with the other stream's. */
export interface OutputWriter {
  write(chunk: Buffer): void;
  end(): void;
}

/** Costs `bytesMax` of memory and time in proportion to what comes in, whatever that is. */
export class OutputTail {
  readonly #ring: ByteRing;

  /** UTF-8 bytes of the text that is kept. 0 is a limit like any other: nothing is kept. */
  constructor(bytesMax: number) {
    this.#ring = new ByteRing(bytesMax);
  }

  /** One for each stream. */
  writer(): OutputWriter {
    const repair = new Utf8Repair();
    return {
      write: (chunk) => this.#ring.push(repair.write(chunk)),
      end: () => this.#ring.push(repair.end()),
    };
  }

  /** Whether something is missing from the beginning. */
  get truncated(): boolean {
    return this.#ring.wasCut;
  }

  /** At most `bytesMax` bytes; up to three less when the first character would have been cut. */
  text(): string {
    const bytes = this.#ring.bytes();
    return bytes.toString("utf8", this.truncated ? nextCharacterStart(bytes, 0) : 0);
  }

  /** From now on as if the limit were 0: the memory is given back. */
  close(): void {
    this.#ring.close();
  }
}
