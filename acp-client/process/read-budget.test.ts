// SPDX-License-Identifier: MIT OR Apache-2.0
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ReadBudget } from "./read-budget.ts";
import type { Reader } from "./read-budget.ts";

const readBytes = 64 * 1024;

/** Pipes that always hold more; each is read at most so often in a turn of the event loop, as Node does. */
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

  /** What was read in it. */
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

test("however many agents talk, a turn of the event loop reads what it would read of one or two", async () => {
  const pipes = new Pipes(32);
  await pipes.turn(); // each has one read before it is known how many they are
  for (let turn = 0; turn < 100; turn += 1) expect(await pipes.turn()).toBeLessThanOrEqual(3 * readBytes);
});

test("agents that talk without end are read alike", async () => {
  const pipes = new Pipes(7);
  for (let turn = 0; turn < 350; turn += 1) await pipes.turn();
  expect(Math.max(...pipes.total)).toBeLessThanOrEqual(1.5 * Math.min(...pipes.total));
  expect(Math.min(...pipes.total)).toBeGreaterThan(80 * readBytes);
});

test("an agent that talks alone has the whole budget in each turn", async () => {
  const pipes = new Pipes(1);
  for (let turn = 0; turn < 10; turn += 1) expect(await pipes.turn()).toBe(2 * readBytes);
});

test("who says little is read at once, however much the others say", async () => {
  const budget = new ReadBudget();
  const pipes = new Pipes(32, budget);
  const quiet = budget.reader(() => {});
  for (let turn = 0; turn < 10; turn += 1) {
    await pipes.turn();
    expect(quiet.spend(300)).toBe(true);
  }
});
