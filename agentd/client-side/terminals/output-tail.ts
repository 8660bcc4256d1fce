// SPDX-License-Identifier: MIT OR Apache-2.0
// The last bytes of a command's stdout and stderr in the order of arrival, cut at a character.
import { ByteRing, nextCharacterStart } from "../../../acp-client/process/byte-ring.ts";
import { Utf8Repair } from "./utf8-repair.ts";

/** Takes the chunks of one stream. A character split between two chunks does not mix with the other stream's bytes. */
export interface OutputWriter {
  write(chunk: Buffer): void;
  end(): void;
}

/** Takes `bytesMax` of memory and time linear in the input. */
export class OutputTail {
  readonly #ring: ByteRing;

  /** `bytesMax`: UTF-8 bytes; 0 keeps nothing. */
  constructor(bytesMax: number) {
    this.#ring = new ByteRing(bytesMax);
  }

  /** Make one for each stream. */
  writer(): OutputWriter {
    const repair = new Utf8Repair();
    return {
      write: (chunk) => this.#ring.push(repair.write(chunk)),
      end: () => this.#ring.push(repair.end()),
    };
  }

  /** Whether the beginning is missing. */
  get truncated(): boolean {
    return this.#ring.wasCut;
  }

  /** At most `bytesMax` bytes, and up to three fewer where a character would be cut. */
  text(): string {
    const bytes = this.#ring.bytes();
    return bytes.toString("utf8", this.truncated ? nextCharacterStart(bytes, 0) : 0);
  }

  /** Frees the memory; from now on it acts as if the limit were 0. */
  close(): void {
    this.#ring.close();
  }
}
