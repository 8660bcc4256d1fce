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
  answers.submit("a1", "yes", "desktop");
  clock.advance(5_000);
  expect([written, late]).toEqual([[], ["a1"]]);
  store.works = true;
  clock.advance(10_000);
  expect([written, late]).toEqual([["a1 yes"], ["a1"]]);
});

test("an answer stored at once is not reported as delayed, and cancel and stop end the retries", () => {
  const { clock, written, late, store, answers } = opened();
  answers.submit("a1", "yes", "desktop");
  answers.cancel("a1");
  answers.submit("a2", "yes", "desktop");
  answers.stop();
  store.works = true;
  clock.advance(10_000);
  expect(written).toEqual([]);
  answers.submit("a3", "no", "desktop");
  expect([written, late]).toEqual([["a3 no"], ["a1", "a2"]]);
});

test("while an answer waits for the store, another to the same ask is ignored, and cancel ends the retries", () => {
  const { clock, written, late, store, answers } = opened();
  for (const option of ["yes", "no"]) answers.submit("a1", option, "desktop");
  answers.submit("a2", "yes", "desktop");
  answers.submit("a2", "no", "desktop");
  answers.cancel("a2");
  store.works = true;
  clock.advance(10_000);
  expect([written, late]).toEqual([["a1 yes"], ["a1", "a2"]]);
});
