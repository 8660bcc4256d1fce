// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../bus-client/testing/manual-clock.ts";
import { LateAnswers } from "./late-answers.ts";

function opened() {
  const clock = new ManualClock();
  const written: string[] = [];
  const late: string[] = [];
  const store = { works: false };
  const answers = new LateAnswers({
    clock,
    againMs: 1_000,
    write(ask, option) {
      if (store.works) written.push(`${ask} ${option}`);
      return store.works;
    },
    onLate: (ask) => late.push(ask),
  });
  return { clock, written, late, store, answers };
}

test("an answer that the store does not take is written when it does, once, and a person is told once", () => {
  const { clock, written, late, store, answers } = opened();
  answers.choose("a1", "yes");
  clock.advance(5_000);
  expect([written, late]).toEqual([[], ["a1"]]);
  store.works = true;
  clock.advance(10_000);
  expect([written, late]).toEqual([["a1 yes"], ["a1"]]);
});

test("what the store takes at once is not late, and of what has ended, or when notifyd ends, nothing is tried any more", () => {
  const { clock, written, late, store, answers } = opened();
  answers.choose("a1", "yes");
  answers.drop("a1");
  answers.choose("a2", "yes");
  answers.stop();
  store.works = true;
  clock.advance(10_000);
  expect(written).toEqual([]);
  answers.choose("a3", "no");
  expect([written, late]).toEqual([["a3 no"], ["a1", "a2"]]);
});
