// SPDX-License-Identifier: MIT OR Apache-2.0
// Splits the bytes of a pipe into lines. The chunks of an unfinished line are collected and joined once, at its
// newline: joining at each chunk would take quadratic time for a long line.
import { isUtf8 } from "node:buffer";
import { byteOrderMarkBytes, isMarkedUtf16 } from "../../files/byte-order-mark.ts";

export interface LineSplitterOptions {
  /** Maximum length of a line without its newline. */
  readonly lineBytesMax: number;
  /** Receives each line that is not empty, without LF, CRLF or byte order mark. */
  readonly onLine: (line: string) => void;
  /** Called when a line exceeds lineBytesMax, with how it begins. The line is dropped, and everything after it. */
  readonly onOverlong: (bytes: number, start: string) => void;
  /** Whether the lines after one that exceeds lineBytesMax are delivered. */
  readonly skipsOverlong?: boolean;
  /** Called in place of onLine for a line that is not UTF-8. Without it, invalid UTF-8 becomes U+FFFD. */
  readonly onNotUtf8?: () => void;
  /** Called once, if the first line has the byte order mark of UTF-16. Everything is dropped. */
  readonly onUtf16: () => void;
}

const LF = 10;
const CR = 13;

/**
 * Adjacent chunks smaller than this are joined at once, so that a line that comes byte by byte is not one object per
 * byte.
 */
const pieceBytesMin = 4096;

/** Enough of an overlong line to find a request's id. */
const overlongStartBytes = 4096;

export class LineSplitter {
  readonly #options: LineSplitterOptions;
  #carried: Buffer[] = [];
  #carriedBytes = 0;
  #ended = false;
  #isSkipping = false;
  #isFirst = true;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (!this.#ended) {
      const newline = chunk.indexOf(LF, start);
      const end = newline === -1 ? chunk.length : newline;
      const lineBytes = this.#carriedBytes + end - start;
      if (lineBytes > this.#options.lineBytesMax && !this.#isSkipping) this.#dropOverlong(lineBytes, chunk, start);
      if (this.#ended) return;
      if (newline === -1) {
        if (!this.#isSkipping) this.#carry(chunk, start);
        return;
      }
      if (this.#isSkipping) this.#isSkipping = false;
      else this.#deliver(chunk, start, newline);
      start = newline + 1;
    }
  }

  /** Ends the input. Delivers a last line without a newline, and nothing afterwards. */
  end(): void {
    if (this.#ended) return;
    if (this.#carriedBytes > 0) this.#deliver(Buffer.alloc(0), 0, 0);
    this.#ended = true;
  }

  #carry(chunk: Buffer, start: number): void {
    if (start === chunk.length) return;
    const piece = start === 0 ? chunk : chunk.subarray(start);
    const last = this.#carried.at(-1);
    if (last !== undefined && last.length < pieceBytesMin && piece.length < pieceBytesMin) {
      this.#carried[this.#carried.length - 1] = Buffer.concat([last, piece]);
    } else {
      this.#carried.push(piece);
    }
    this.#carriedBytes += piece.length;
  }

  #deliver(chunk: Buffer, start: number, end: number): void {
    if (this.#carriedBytes === 0) return this.#emit(chunk, start, end);
    const whole = Buffer.concat([...this.#carried, chunk.subarray(start, end)]);
    this.#carried = [];
    this.#carriedBytes = 0;
    this.#emit(whole, 0, whole.length);
  }

  #emit(bytes: Buffer, lineStart: number, end: number): void {
    if (this.#isFirst && isMarkedUtf16(bytes.subarray(lineStart, end))) {
      this.#drop();
      this.#ended = true;
      this.#options.onUtf16();
      return;
    }
    this.#isFirst = false;
    // Any line may have a byte order mark, since a program may reopen its stdout for each.
    const start = lineStart + byteOrderMarkBytes(bytes, lineStart, end);
    const last = end > start && bytes[end - 1] === CR ? end - 1 : end;
    if (last === start) return;
    const line = bytes.toString("utf8", start, last);
    const { onNotUtf8 } = this.#options;
    if (onNotUtf8 && line.includes("\ufffd") && !isUtf8(bytes.subarray(start, last))) onNotUtf8();
    else this.#options.onLine(line);
  }

  #dropOverlong(bytes: number, chunk: Buffer, start: number): void {
    const first = this.#carried[0] ?? chunk.subarray(start);
    this.#drop();
    this.#isSkipping = this.#options.skipsOverlong === true;
    this.#ended = !this.#isSkipping;
    this.#options.onOverlong(bytes, first.toString("utf8", 0, overlongStartBytes));
  }

  #drop(): void {
    this.#carried = [];
    this.#carriedBytes = 0;
  }
}
