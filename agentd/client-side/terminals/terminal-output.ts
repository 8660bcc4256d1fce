// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads a command's two pipes into the tail in the order of arrival, throttled so that the event loop stays responsive.
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { settlesWithin } from "../../../acp-client/process/stop-ladder.ts";
import { OutputTail } from "./output-tail.ts";

/** The pipes pause after this many bytes, which limits a command that never stops writing to some 40 MB/s. */
const bytesBetweenPauses = 256 * 1024;
const pauseMs = 5;
/** If another process keeps an exited command's pipes open, its output counts as complete after this much silence. */
const quietMs = 100;
/** Background processes may go on writing; waits at most this many times `quietMs` for silence. */
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

  /** Resolves when the output of an exited command has been read. */
  async untilQuiet(): Promise<void> {
    for (let round = 0; round < quietRoundsMax; round += 1) {
      const before = this.#bytesRead;
      if (await settlesWithin(this.#ended, quietMs)) return;
      await setImmediate(); // if the event loop was busy, the time passed before the pipes could be read
      if (this.#bytesRead === before) return;
    }
  }

  /** Stops reading and frees the memory. */
  close(): void {
    clearTimeout(this.#pause);
    for (const pipe of this.#pipes) pipe.destroy();
    this.#tail.close();
  }

  /** Resolves when the pipe has ended or broken. Ignores its errors, since the exit is reported anyway. */
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
