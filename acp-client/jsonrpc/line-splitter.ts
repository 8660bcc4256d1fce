// SPDX-License-Identifier: MIT OR Apache-2.0
// Bytes of a pipe become lines. Pieces of an unfinished line are carried in a list and joined once, when the newline
// comes: joining at each chunk would make one long line cost the square of its length.
import { byteOrderMarkBytes, isMarkedUtf16 } from "../../files/byte-order-mark.ts";

export interface LineSplitterOptions {
  /** A line longer than this (its newline not counted) ends the splitter. */
  readonly lineBytesMax: number;
  /**
   * One line without its LF or CRLF and without a byte order mark; never empty. Invalid UTF-8 arrives as U+FFFD.
   * `bytes`: of a long line what came, which nobody writes to again.
   */
  readonly onLine: (line: string, bytes?: Buffer) => void;
  /** Once, when a line exceeds lineBytesMax: it and all that follows is dropped; what came before was delivered. */
  readonly onOverlong: (bytes: number) => void;
  /** Once, when the first line has the byte order mark of UTF-16: it and all that follows is dropped. */
  readonly onUtf16: () => void;
}

const LF = 10;
const CR = 13;

/** Neighbours smaller than this are joined at once: a line that dribbles in byte by byte must not cost an object each. */
const pieceBytesMin = 4096;

/** A long line. Whoever keeps a part of its bytes keeps the whole read of the pipe: of 64 KiB, a share that counts. */
const longBytesMin = 4096;

export class LineSplitter {
  readonly #options: LineSplitterOptions;
  #carried: Buffer[] = [];
  #carriedBytes = 0;
  #ended = false;
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
      if (lineBytes > this.#options.lineBytesMax) {
        this.#fail(lineBytes);
        return;
      }
      if (newline === -1) {
        this.#carry(chunk, start);
        return;
      }
      this.#deliver(chunk, start, newline);
      start = newline + 1;
    }
  }

  /** The pipe has ended: a last line without newline is a line. Nothing is delivered afterwards. */
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
    if (this.#carriedBytes === 0) {
      this.#emit(chunk, start, end);
      return;
    }
    const whole = Buffer.concat([...this.#carried, chunk.subarray(start, end)]);
    this.#carried = [];
    this.#carriedBytes = 0;
    this.#emit(whole, 0, whole.length);
  }

  #emit(bytes: Buffer, lineStart: number, end: number): void {
    if (this.#isFirst && isMarkedUtf16(bytes.subarray(lineStart, end))) {
      this.#drop();
      this.#options.onUtf16();
      return;
    }
    this.#isFirst = false;
    // Before any line, since a program may open its stdout anew for each.
    const start = lineStart + byteOrderMarkBytes(bytes, lineStart, end);
    const last = end > start && bytes[end - 1] === CR ? end - 1 : end;
    if (last === start) return;
    const line = bytes.toString("utf8", start, last);
    if (last - start < longBytesMin) this.#options.onLine(line);
    else this.#options.onLine(line, bytes.subarray(start, last));
  }

  #fail(bytes: number): void {
    this.#drop();
    this.#options.onOverlong(bytes);
  }

  #drop(): void {
    this.#ended = true;
    this.#carried = [];
    this.#carriedBytes = 0;
  }
}
