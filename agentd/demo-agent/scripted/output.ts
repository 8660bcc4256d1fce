// SPDX-License-Identifier: MIT OR Apache-2.0
// Our stdout and stderr, byte by byte as the scenario wants them.
import { closeSync } from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Writable } from "node:stream";

/** Lines of a flood are sent in writes of about this many bytes. */
const floodWriteBytes = 256 * 1024;

export class Output {
  readonly #stdout: Writable & { readonly fd: number };
  readonly #stderr: Writable & { readonly fd: number };
  #glued: Buffer[] | undefined;

  constructor(stdout: Writable & { readonly fd: number }, stderr: Writable & { readonly fd: number }) {
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  write(bytes: Buffer): void {
    if (this.#glued) this.#glued.push(bytes);
    else this.#stdout.write(bytes);
  }

  /** Each piece is in the kernel's hands before the next is written. */
  async writePieces(pieces: Iterable<Buffer>, betweenMs: number, signal: AbortSignal): Promise<void> {
    let first = true;
    for (const piece of pieces) {
      if (!first && betweenMs > 0) await setTimeout(betweenMs, undefined, { signal });
      first = false;
      await writeThrough(this.#stdout, piece);
    }
  }

  /** What is written before the steps first wait goes out as one write. */
  glue(run: () => Promise<void>): Promise<void> {
    const glued: Buffer[] = [];
    this.#glued = glued;
    const done = run();
    this.#glued = undefined;
    this.#stdout.write(Buffer.concat(glued));
    return done;
  }

  writeStderr(text: string): void {
    this.#stderr.write(text);
  }

  /** Between writes frames are read, so that a flood can be cancelled. */
  async flood(to: "stdout" | "stderr", lines: FloodLines, count: number, signal: AbortSignal): Promise<void> {
    const stream = to === "stdout" ? this.#stdout : this.#stderr;
    const perWrite = Math.max(1, Math.floor(floodWriteBytes / lines.lineBytes));
    for (let sent = 0; sent < count; sent += perWrite) {
      signal.throwIfAborted();
      await writeThrough(stream, lines.take(sent, Math.min(perWrite, count - sent)));
      await setImmediate();
    }
  }

  /** Resolves when the kernel has all that was written: a process that ends takes the rest with it. */
  async flushed(): Promise<void> {
    if (this.#stdout.writableLength > 0) await writeThrough(this.#stdout, Buffer.alloc(0));
    if (this.#stderr.writableLength > 0) await writeThrough(this.#stderr, Buffer.alloc(0));
  }

  close(what: "stdout" | "stderr"): void {
    const stream = what === "stdout" ? this.#stdout : this.#stderr;
    stream.destroy();
    closeSync(stream.fd); // Node keeps the standard streams' descriptors open whatever is destroyed
  }
}

export interface FloodLines {
  readonly lineBytes: number;
  /** The bytes of `count` lines, from the one numbered `from`. */
  take(from: number, count: number): Buffer;
}

function writeThrough(stream: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
