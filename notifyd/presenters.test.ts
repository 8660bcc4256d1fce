// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../bus-client/testing/manual-clock.ts";
import { limits } from "./limits.ts";
import { Presenters } from "./presenters.ts";
import { FakePresenter } from "./testing/fake-presenter.ts";
import { openAsk as ask } from "./testing/open-ask.ts";

test.each(["throws", "rejects", "hangs"] as const)(
  "a presenter that %s harms neither the others nor the ask",
  async (fault) => {
    const { presenters, add, answers, faults, clock } = opened();
    const [bad, good] = [add("bad"), add("good")];
    bad.fault = fault;
    presenters.present(ask("a1"));
    expect(presenters.tell(told, "x")).toBe(true);
    expect(presenters.states()).toMatchObject({ bad: { there: fault !== "throws" }, good: { there: true } });
    (await good.shown.next()).choose(0);
    expect(answers).toEqual(["a1 yes good"]);
    presenters.update(ended("a1"));
    expect(good.updates).toHaveLength(1);
    const closed = presenters.close();
    clock.advance(limits.presenterCloseMs);
    await closed;
    expect(faults.length > 0).toBe(fault !== "hangs");
  },
);

test("a presenter that nobody sees shows nothing told, and another does", () => {
  const { presenters, add } = opened();
  expect(presenters.tell(told, "x")).toBe(false);
  const [bad, good] = [add("bad"), add("good")];
  bad.fault = "throws";
  expect([presenters.tell(told, "x"), presenters.tell(told, "x", "bad")]).toEqual([true, false]);
  expect(good.told).toEqual(["done"]);
});

test("a presenter that comes is given all open asks, and one that has gone is given nothing", async () => {
  const { presenters, add, removeOf } = opened();
  const first = add("first");
  for (const id of ["a1", "a2", "a3"]) presenters.present(ask(id));
  presenters.update(ended("a2"));
  await removeOf(first);
  await removeOf(first);
  presenters.update(ended("a1"));
  presenters.present(ask("a4"));
  const second = add("second");
  expect(second.shown.waiting.map(({ text }) => text.split("\n")[0])).toEqual(["May a3?", "May a4?"]);
  expect([first.shown.waiting.length, first.updates.map(({ ask: id }) => id)]).toEqual([3, ["a2"]]);
  expect(Object.keys(presenters.states())).toEqual(["second"]);
});

test("an answer is ignored if its ask is unknown or over, does not offer it, or its presenter has gone", async () => {
  const { presenters, add, removeOf, answers } = opened();
  const one = add("one");
  presenters.present(ask("a1"));
  presenters.present(ask("a2"));
  presenters.update(ended("a2"));
  for (const [id, option] of [
    ["a1", "maybe"],
    ["a1", "y".repeat(1_000_000)],
    ["a2", "yes"],
    ["a3".repeat(1_000), "yes"],
  ]) {
    one.host.answer(id ?? "", option ?? "");
  }
  await removeOf(one);
  one.host.answer("a1", "yes");
  expect(answers).toEqual([]);
});

test("an ask that is answered while it is shown is not shown by the presenters after that", async () => {
  const { presenters, add, endOnAnswer } = opened();
  endOnAnswer();
  const quick = add("quick");
  quick.present = ({ ask: id }) => quick.host.answer(id, "yes");
  const late = add("late");
  presenters.present(ask("a1"));
  expect([late.shown.waiting, quick.updates.length]).toEqual([[], 1]);
});

test("a presenter that cannot be created is not there, and the others are", () => {
  const { presenters, add } = opened();
  const create = (): never => {
    throw new Error("no such thing");
  };
  expect(() => presenters.add(create)).toThrow("no such thing");
  const good = add("good");
  presenters.present(ask("a1"));
  expect(good.shown.waiting).toHaveLength(1);
});

const told = { title: "done", body: "", urgency: "low" } as const;

function ended(id: string) {
  return ask(id, { state: "expired", ended_at: "", noted: false });
}

function opened() {
  const clock = new ManualClock();
  const answers: string[] = [];
  const faults: unknown[] = [];
  let ends = false;
  const presenters = new Presenters({
    clock,
    limits,
    logger: { info: () => {}, warn: () => {}, error: (fault: unknown) => void faults.push(fault) },
    onAnswer(id, option, via) {
      answers.push(`${id} ${option} ${via}`);
      if (ends) presenters.update(ended(id));
    },
  });
  const removals = new Map<FakePresenter, () => Promise<void>>();
  const add = (name: string): FakePresenter => {
    let made: FakePresenter | undefined;
    const remove = presenters.add((host) => (made = new FakePresenter(host, name)));
    if (made === undefined) throw new Error("it was not created");
    removals.set(made, remove);
    return made;
  };
  const removeOf = (fake: FakePresenter): Promise<void> | undefined => removals.get(fake)?.();
  return { presenters, add, removeOf, answers, faults, clock, endOnAnswer: () => (ends = true) };
}
