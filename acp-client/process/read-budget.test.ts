// SPDX-License-Identifier: MIT OR Apache-2.0
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ReadBudget, type Reader } from "./read-budget.ts";

const readBytes = 64 * 1024;

/** Pipes that are always full; each is read at most so often per turn of the event loop, as in Node. */
class Pipes {
  readonly total: number[];
  readonly #flowing: boolean[];
  readonly #readers: Reader[];

  constructor(count: number, budget = new ReadBudget()) {
    this.total = Array.from({ length: count }, () => 0);
    this.#flowing = this.total.map(() => true);
    this.#readers = this.total.map((_, index) =>
      budget.reader(() => {
        this.#flowing[index] = true;
      }),
    );
  }

  /** Bytes read in that turn. */
  async turn(): Promise<number> {
    let read = 0;
    for (const [index, reader] of this.#readers.entries()) {
      for (let reads = 0; reads < 32 && this.#flowing[index] === true; reads += 1) {
        read += readBytes;
        this.total[index] = (this.total[index] ?? 0) + readBytes;
        this.#flowing[index] = reader.spend(readBytes);
      }
    }
    await setImmediate();
    return read;
  }
}

test("a turn of the event loop reads the same amount, however many agents write", async () => {
  const pipes = new Pipes(32);
  await pipes.turn(); // each is read once before the number of readers is known
  for (let turn = 0; turn < 100; turn += 1) expect(await pipes.turn()).toBeLessThanOrEqual(3 * readBytes);
});

test("agents that write without end get equal shares", async () => {
  const pipes = new Pipes(7);
  for (let turn = 0; turn < 350; turn += 1) await pipes.turn();
  expect(Math.max(...pipes.total)).toBeLessThanOrEqual(1.5 * Math.min(...pipes.total));
  expect(Math.min(...pipes.total)).toBeGreaterThan(80 * readBytes);
});

test("a single writing agent gets the whole budget in each turn", async () => {
  const pipes = new Pipes(1);
  for (let turn = 0; turn < 10; turn += 1) expect(await pipes.turn()).toBe(2 * readBytes);
});

test("an agent that writes little is read at once, however much the others write", async () => {
  const budget = new ReadBudget();
  const pipes = new Pipes(32, budget);
  const quiet = budget.reader(() => {});
  for (let turn = 0; turn < 10; turn += 1) {
    await pipes.turn();
    expect(quiet.spend(300)).toBe(true);
  }
});
