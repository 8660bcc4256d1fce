// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../bus-client/testing/manual-clock.ts";
import { AnswerRetries } from "./answer-retries.ts";

function opened() {
  const clock = new ManualClock();
  const written: string[] = [];
  const late: string[] = [];
  const store = { works: false };
  const answers = new AnswerRetries({
    clock,
    retryMs: 1_000,
    write(ask, option) {
      if (store.works) written.push(`${ask} ${option}`);
      return store.works;
    },
    onDelayed: (ask) => late.push(ask),
  });
  return { clock, written, late, store, answers };
}

test("an answer that the store rejects is written once when the store works, and the person is told once", () => {
  const { clock, written, late, store, answers } = opened();
  answers.submit("a1", "yes");
  clock.advance(5_000);
  expect([written, late]).toEqual([[], ["a1"]]);
  store.works = true;
  clock.advance(10_000);
  expect([written, late]).toEqual([["a1 yes"], ["a1"]]);
});

test("an answer stored at once is not reported as delayed, and cancel and stop end the retries", () => {
  const { clock, written, late, store, answers } = opened();
  answers.submit("a1", "yes");
  answers.cancel("a1");
  answers.submit("a2", "yes");
  answers.stop();
  store.works = true;
  clock.advance(10_000);
  expect(written).toEqual([]);
  answers.submit("a3", "no");
  expect([written, late]).toEqual([["a3 no"], ["a1", "a2"]]);
});
