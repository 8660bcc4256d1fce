// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes to stdout and stderr exactly as the scenario says, byte by byte.
import { closeSync } from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Writable } from "node:stream";

/** The approximate size of a flood's writes. */
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

  /** Waits until the kernel has each piece before it writes the next. */
  async writePieces(pieces: Iterable<Buffer>, betweenMs: number, signal: AbortSignal): Promise<void> {
    let first = true;
    for (const piece of pieces) {
      if (!first && betweenMs > 0) await setTimeout(betweenMs, undefined, { signal });
      first = false;
      await writeThrough(this.#stdout, piece);
    }
  }

  /** Writes everything at once that `run` writes before it first waits. */
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

  /** Lets frames be read between writes, so that a flood can be cancelled. */
  async flood(to: "stdout" | "stderr", lines: FloodLines, count: number, signal: AbortSignal): Promise<void> {
    const stream = to === "stdout" ? this.#stdout : this.#stderr;
    const perWrite = Math.max(1, Math.floor(floodWriteBytes / lines.lineBytes));
    for (let sent = 0; sent < count; sent += perWrite) {
      signal.throwIfAborted();
      await writeThrough(stream, lines.take(sent, Math.min(perWrite, count - sent)));
      await setImmediate();
    }
  }

  /** Resolves when the kernel has everything that was written: what is still buffered is lost at the exit. */
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
  /** Returns the bytes of `count` lines, beginning with line `from`. */
  take(from: number, count: number): Buffer;
}

function writeThrough(stream: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
