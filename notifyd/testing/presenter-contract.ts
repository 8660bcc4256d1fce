// SPDX-License-Identifier: MIT OR Apache-2.0
// What every presenter must do, whatever it shows asks with.
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../bus-client/index.ts";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import { limits } from "../limits.ts";
import type { CreatePresenter } from "../presenter.ts";
import { Presenters } from "../presenters.ts";
import { openAsk as ask } from "./open-ask.ts";
import { FakePresenter, type ShownAsk } from "./fake-presenter.ts";

export interface PresenterUnderTest {
  readonly create: CreatePresenter;
  /** Waits for what a person sees next. */
  readonly next: () => Promise<ShownAsk>;
  /** From now on, whatever shows the asks does not answer. */
  readonly hang: () => void;
}

export function presenterContract(name: string, prepare: () => Promise<PresenterUnderTest>): void {
  test(`${name} shows the whole question, who asks and the options, and a choice is the answer`, async () => {
    const { presenters, next, answers } = await opened();
    presenters.present(ask("a1"));
    const shown = await next();
    for (const part of ["May a1?", "read a file", "agent"]) expect(shown.text).toContain(part);
    expect(shown.choices).toEqual([expect.stringContaining("Yes"), expect.stringContaining("No")]);
    shown.choose(1);
    expect(await answers.next()).toEqual(["a1", "no"]);
  });

  test(`${name} offers nothing that allows beside a part of a question`, async () => {
    const { presenters, next, answers } = await opened();
    presenters.present(ask("a1", { incomplete: true }));
    const shown = await next();
    expect(shown.choices).toEqual([expect.stringContaining("No")]);
    shown.choose(0);
    expect(await answers.next()).toEqual(["a1", "no"]);
  });

  test(`${name} shows an ask once, each of several, and those that were made before it came`, async () => {
    const { presenters, add, next, answers } = await opened({ later: true });
    presenters.present(ask("a1"));
    add();
    const first = await next();
    presenters.present(ask("a1"));
    presenters.present(ask("a2"));
    const second = await next();
    expect([first.text, second.text]).toEqual([expect.stringContaining("May a1?"), expect.stringContaining("May a2?")]);
    second.choose(0);
    first.choose(1);
    const given = [await answers.next(), await answers.next()].toSorted(([one], [other]) => one.localeCompare(other));
    expect(given).toEqual([
      ["a1", "no"],
      ["a2", "yes"],
    ]);
  });

  test(`${name} takes an ask away that was answered elsewhere, and its own answer reaches the others`, async () => {
    const { presenters, next, answers, other } = await opened();
    presenters.present(ask("a1"));
    const shown = await next();
    (await other.shown.next()).choose(0);
    await shown.over;
    presenters.present(ask("a2"));
    const elsewhere = await other.shown.next();
    (await next()).choose(1);
    await elsewhere.over;
    shown.choose(1);
    elsewhere.choose(0);
    expect([await answers.next(), await answers.next(), answers.waiting]).toEqual([["a1", "yes"], ["a2", "no"], []]);
  });

  test(`${name} takes no harm from the end of an ask that it does not show`, async () => {
    const { presenters, next } = await opened();
    presenters.update({ ...ask("a1"), state: "expired", ended_at: "", noted: false });
    presenters.present(ask("a2"));
    expect((await next()).text).toContain("May a2?");
  });

  test(`${name} shows what a program tells, with its name`, async () => {
    const { presenters, next } = await opened();
    presenters.present(ask("a1"));
    await next();
    expect(presenters.tell({ title: "done", body: "all of it", urgency: "low" }, "mcp-abcdef")).toBe(true);
    const { text } = await next();
    for (const part of ["done", "all of it", "mcp-abcdef"]) expect(text).toContain(part);
  });

  test(`${name} leaves nothing behind when it is removed, and the others stay`, async () => {
    const { presenters, next, answers, remove, other } = await opened();
    for (const id of ["a1", "a2"]) presenters.present(ask(id));
    const shown = [await next(), await next()];
    await remove();
    await Promise.all(shown.map(({ over }) => over));
    shown[0]?.choose(0);
    presenters.update({ ...ask("a1"), state: "expired", ended_at: "", noted: false });
    await other.shown.next();
    (await other.shown.next()).choose(0);
    expect([await answers.next(), answers.waiting]).toEqual([["a2", "yes"], []]);
  });

  test(`${name} holds nothing up while whatever it shows asks with hangs`, async () => {
    const { presenters, answers, add, hang, other } = await opened({ later: true });
    hang();
    const remove = add();
    presenters.present(ask("a1"));
    expect(presenters.states()).toMatchObject({ other: { there: true } });
    (await other.shown.next()).choose(0);
    expect(await answers.next()).toEqual(["a1", "yes"]);
    await remove();
  });

  async function opened({ later = false } = {}) {
    const { create, next, hang } = await prepare();
    const answers = new Inbox<[string, string]>();
    const presenters = new Presenters({
      clock: systemClock,
      limits: { ...limits, probeRetryMs: 100, presenterCloseMs: 1_000 },
      logger: { info: () => {}, warn: () => {}, error: (fault: unknown) => expect.unreachable(String(fault)) },
      onAnswer(id, option, via) {
        answers.push([id, option]);
        const answer = { option, via, by: null, at: "" };
        presenters.update({ ...ask(id), state: "answered", answer, ended_at: "", noted: false });
      },
    });
    let other: FakePresenter | undefined;
    presenters.add((host) => (other = new FakePresenter(host, "other")));
    const add = (): (() => Promise<void>) => presenters.add(create);
    const remove = later ? () => Promise.resolve() : add();
    onTestFinished(() => presenters.close());
    return { presenters, answers, next, hang, add, remove, other: other as unknown as FakePresenter };
  }
}
