// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the two pipes of a command into the tail, in the order in which they arrive, and never so fast that nothing else
// gets its turn.
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { settlesWithin } from "../../../acp-client/process/stop-ladder.ts";
import { OutputTail } from "./output-tail.ts";

/** After so many bytes the pipes rest: a command that never stops writing gets some 40 MB/s, and the loop its other work. */
const bytesBetweenPauses = 256 * 1024;
const pauseMs = 5;
/** Something else holds the pipes of a command that has exited: its own last words are there when nothing came for this time. */
const quietMs = 100;
/** What it left in the background may go on writing; that is not waited for longer than this many times `quietMs`. */
const quietRoundsMax = 10;

export class TerminalOutput {
  readonly #pipes: readonly Readable[];
  readonly #tail: OutputTail;
  readonly #ended: Promise<unknown>;
  #bytesRead = 0;
  #bytesToPause = bytesBetweenPauses;
  #pause: NodeJS.Timeout | undefined;

  constructor(stdout: Readable, stderr: Readable, bytesMax: number) {
    this.#pipes = [stdout, stderr];
    this.#tail = new OutputTail(bytesMax);
    this.#ended = Promise.all(this.#pipes.map((pipe) => this.#read(pipe)));
  }

  snapshot(): { readonly output: string; readonly truncated: boolean } {
    return { output: this.#tail.text(), truncated: this.#tail.truncated };
  }

  /** For a command that has exited: resolves when what it wrote was read. */
  async untilQuiet(): Promise<void> {
    for (let round = 0; round < quietRoundsMax; round += 1) {
      const before = this.#bytesRead;
      if (await settlesWithin(this.#ended, quietMs)) return;
      await setImmediate(); // where we were busy ourselves, the time was over before the pipes could be read
      if (this.#bytesRead === before) return;
    }
  }

  /** Nothing is read or kept any more. */
  close(): void {
    clearTimeout(this.#pause);
    for (const pipe of this.#pipes) pipe.destroy();
    this.#tail.close();
  }

  /** Settles when the pipe has ended or broken; what is told by an error here is told by the exit too. */
  #read(pipe: Readable): Promise<void> {
    const writer = this.#tail.writer();
    pipe.on("data", (chunk: Buffer) => {
      writer.write(chunk);
      this.#count(chunk.length);
    });
    return new Promise((resolve) => {
      pipe.on("error", () => {});
      pipe.once("close", () => {
        writer.end();
        resolve();
      });
    });
  }

  #count(bytes: number): void {
    this.#bytesRead += bytes;
    this.#bytesToPause -= bytes;
    if (this.#bytesToPause > 0 || this.#pause !== undefined) return;
    for (const pipe of this.#pipes) pipe.pause();
    this.#pause = setTimeout(() => this.#resume(), pauseMs);
  }

  #resume(): void {
    this.#pause = undefined;
    this.#bytesToPause = bytesBetweenPauses;
    for (const pipe of this.#pipes) pipe.resume();
  }
}
