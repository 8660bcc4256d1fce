// SPDX-License-Identifier: MIT OR Apache-2.0
// notifyd with fake presenters, and a Bus that cannot be reached.
import Database from "better-sqlite3";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../bus-client/index.ts";
import { temporaryDirectory } from "../bus-client/testing/temporary-directory.ts";
import { notifyArguments } from "../agentd/vocabulary/index.ts";
import { Asks } from "./asks.ts";
import { limits } from "./limits.ts";
import { Notifyd } from "./notifyd.ts";
import { openDatabase } from "./open-database.ts";
import { prepareStateDirectory, statePaths } from "./state-directory.ts";
import { FakePresenter } from "./testing/fake-presenter.ts";

test("an ask is at all presenters, the first answer is stored with the name of its presenter, and the others are told", async () => {
  const { add, ids, stored } = opened(["r-1"]);
  const [one, two] = [add("one"), add("two")];
  (await two.shown.next()).choose(1);
  (await one.shown.next()).choose(0);
  const answer = { option: "no", via: "two", by: null };
  expect(stored(ids[0])).toMatchObject({ state: "answered", answer });
  expect([one, two].map(({ updates }) => updates)).toEqual([
    [expect.objectContaining({ ask: ids[0], answer: expect.objectContaining(answer) })],
    [expect.objectContaining({ ask: ids[0] })],
  ]);
});

test("an answer to an overdue ask expires it at all presenters", async () => {
  const { add, ids, stored, passed } = opened(["r-1"], new Date(Date.now() + 60_000).toISOString());
  const [one, two] = [add("one"), add("two")];
  passed(60_001);
  (await one.shown.next()).choose(0);
  expect(stored(ids[0])).toMatchObject({ state: "expired" });
  for (const { updates } of [one, two]) expect(updates).toMatchObject([{ ask: ids[0], state: "expired" }]);
});

test("an answer that cannot be stored yet is told to be late where it was given, and wins once it can", async () => {
  const { add, ids, stored, file } = opened(["r-1"]);
  const [one, two] = [add("one"), add("two")];
  const other = new Database(file);
  onTestFinished(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  (await one.shown.next()).choose(0);
  (await two.shown.next()).choose(1);
  expect([one.told, two.told]).toEqual([["Your answer is not saved yet"], []]);
  other.exec("ROLLBACK");
  await expect.poll(() => stored(ids[0])).toMatchObject({ state: "answered", answer: { option: "yes", via: "one" } });
});

function opened(refs: readonly string[], expires_at: string | null = null) {
  const home = temporaryDirectory();
  const paths = statePaths({}, home);
  const uid = process.getuid?.() ?? -1;
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, after: (ms: number, run: () => void) => systemClock.after(ms, run) };
  const options = [
    { option: "yes", label: "Yes", kind: "allow_once" },
    { option: "no", label: "No", kind: "reject_once" },
  ];
  prepareStateDirectory(paths, uid);
  const asks = new Asks({ database: openDatabase(paths.asksFile), limits, now: clock.now });
  onTestFinished(() => asks.close());
  const ids = refs.map((ref) => {
    const asked = asks.ask("agent", notifyArguments.ask.parse({ title: "May it?", options, ref, expires_at }));
    if (asked.kind !== "asked") throw new Error(asked.kind);
    return asked.ask.ask;
  });
  const notifyd = new Notifyd({
    paths,
    surroundings: { env: { MIXOS_NODED_URL: "ws://127.0.0.1:1/ws" }, uid, home },
    version: "0.0.0",
    logger: pino({ level: "silent" }),
    clock,
    limits: { answerRetryMs: 50 },
  });
  onTestFinished(() => notifyd.stop("the test is over"));
  const add = (name: string): FakePresenter => {
    let made: FakePresenter | undefined;
    notifyd.addPresenter((host) => (made = new FakePresenter(host, name)));
    return made as unknown as FakePresenter;
  };
  return { add, ids, file: paths.asksFile, stored: (id = "") => asks.get(id), passed: (ms: number) => (ahead = ms) };
}
