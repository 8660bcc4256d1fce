// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { temporaryDirectory } from "../bus-client/testing/temporary-directory.ts";
import { notifyArguments, type NotifyInput } from "../agentd/vocabulary/index.ts";
import { Asks } from "./asks.ts";
import { type Limits, limits } from "./limits.ts";
import { openDatabase } from "./open-database.ts";

test("the same ref of the same source is one ask while it is open, and a new ask after it was withdrawn", () => {
  const { asks } = opened();
  const first = asked(asks, "agent", "r-1");
  expect(asks.ask("agent", question("r-1"))).toMatchObject({ kind: "asked", isNew: false, ask: { ask: first } });
  expect(asked(asks, "other", "r-1")).not.toBe(first);
  asks.withdraw(first, "over");
  expect(asked(asks, "agent", "r-1")).not.toBe(first);
});

test("another question with the ref of an open ask is refused, and the first stays unchanged", () => {
  const { asks } = opened();
  const first = asked(asks, "agent", "r-1");
  const other = asks.ask("agent", question("r-1", { title: "May it delete everything?" }));
  expect(other).toMatchObject({ kind: "conflict", ask: { ask: first, title: "May it?" } });
});

test("repeating an ask returns the answer that a person gave meanwhile, until it is noted", () => {
  const { asks } = opened();
  const first = asked(asks, "agent", "r-1");
  asks.answer(first, "yes", { via: "mix", by: "mix-aaaaaa" });
  expect(asks.ask("agent", question("r-1"))).toMatchObject({ isNew: false, ask: { ask: first, state: "answered" } });
  expect(asks.list({ noted: false }).asks).toHaveLength(1);
  expect(asks.withdraw(first, "used")).toMatchObject({ changed: false, ask: { state: "answered", noted: true } });
  expect(asks.list({ noted: false }).asks).toHaveLength(0);
  expect(asked(asks, "agent", "r-1")).not.toBe(first);
});

test("the first answer stands, and later answers, withdrawals and expiry change nothing", () => {
  const { asks } = opened();
  const id = asked(asks, "agent", "r-1");
  expect(asks.answer(id, "no", { via: null, by: "a" }).changed).toBe(true);
  for (const later of [asks.answer(id, "yes", { via: null, by: "b" }), asks.withdraw(id, "late"), asks.expire(id)]) {
    expect(later).toMatchObject({ changed: false, ask: { state: "answered", answer: { option: "no", by: "a" } } });
  }
});

test("an answer after expires_at is refused, even before a timer has expired the ask", () => {
  const { asks, setNow } = opened();
  const id = asked(asks, "agent", "r-1", { expires_at: at(1_000) });
  setNow(1_000);
  expect(asks.answer(id, "yes", { via: null, by: "a" })).toMatchObject({ changed: false, ask: { state: "expired" } });
});

test("expireOverdue expires the asks that are overdue by the clock, and no others", () => {
  const { asks, setNow } = opened();
  const [over, ahead, endless] = [1_000, 1_001, undefined].map((ms, index) =>
    asked(asks, "agent", `r-${index}`, ms === undefined ? {} : { expires_at: at(ms) }),
  );
  setNow(1_000);
  expect(asks.expireOverdue()).toMatchObject([{ ask: over, state: "expired" }]);
  expect(asks.expireOverdue()).toEqual([]);
  expect(asks.open().map(({ ask }) => ask)).toEqual([ahead, endless]);
});

test("open asks are limited for each source and in all, with a lower limit for agents' own programs", () => {
  const { asks } = opened({ openPerSourceMax: 2, openMax: 3, openPerAgentMax: 1 });
  asked(asks, "a", "1");
  asked(asks, "a", "2");
  expect(asks.ask("a", question("3")).kind).toBe("full");
  asked(asks, "b", "1");
  expect(asks.ask("b", question("2")).kind).toBe("full");
  expect(asks.ask("a", question("1")).kind).toBe("asked");
  asks.withdraw(asked(asks, "a", "1"), "over");
  const first = asked(asks, "mcp-a", "1");
  expect(asks.ask("mcp-a", question("2"))).toMatchObject({ kind: "full", why: expect.stringContaining("mcp-a has 1") });
  asks.withdraw(first, "over");
  asked(asks, "mcp-a", "2");
});

test("a group of a source has its own limit, which drops once half of the source's limit is used", () => {
  const { asks } = opened({ openPerSourceMax: 6, openPerGroupMax: 3, openPerGroupCrowdedMax: 1 });
  for (const ref of ["1", "2", "3"]) asked(asks, "agent", ref, { group: "loud" });
  expect(asks.ask("agent", question("4", { group: "loud" }))).toMatchObject({
    kind: "full",
    why: expect.stringContaining("loud has 3"),
  });
  expect(asks.get(asked(asks, "agent", "5", { group: "quiet" }))).toMatchObject({ group: "quiet" });
  expect(asks.ask("agent", question("6", { group: "quiet" })).kind).toBe("full");
  expect(asks.get(asked(asks, "agent", "7"))).toMatchObject({ group: null });
});

test("the open asks are limited in their bytes, and one that ends makes room", () => {
  const { asks } = opened({ openBytesMax: 10_000 });
  const body = "ü".repeat(2_000);
  const first = asked(asks, "a", "1", { body });
  asked(asks, "b", "1", { body });
  expect(asks.ask("c", question("1", { body }))).toEqual({ kind: "full", why: "the open asks are too long in all" });
  asked(asks, "c", "2");
  asks.withdraw(first, "over");
  asked(asks, "c", "1", { body });
});

test("no more open asks than the limit are read from the file", () => {
  const { asks, database } = opened();
  for (const ref of ["1", "2", "3"]) asked(asks, "a", ref);
  const few = new Asks({ database, limits: { ...limits, openMax: 2 }, now: () => 0 });
  expect(few.open().map(({ ref }) => ref)).toEqual(["1", "2"]);
});

test.each([
  ["options = '[{\"option\": 1}]'"],
  ["options = '[['"],
  ["options = '[]'"],
  ["title = ''"],
  ["title = printf('%.*c', 513, 'x')"],
  ["body = printf('%.*c', 4097, 'x')"],
  ["ref = printf('%.*c', 257, 'x')"],
  ["label = printf('%.*c', 257, 'x')"],
  ["\"group\" = printf('%.*c', 257, 'x')"],
  ["expires_at = 'soon'"],
  ["reason = printf('%.*c', 600000, 'x'), state = 'withdrawn', ended_at = ''"],
])("a store with an ask that could not have been asked is refused: %s", (damage) => {
  const { asks, database, file } = opened();
  asked(asks, "a", "0");
  const id = asked(asks, "a", "1");
  openDatabase(file).close();
  database.exec(`UPDATE ask SET ${damage} WHERE ask = '${id}'`);
  expect(() => openDatabase(file)).toThrow(
    expect.objectContaining({ code: "STORE_REFUSED", message: expect.stringContaining(`the ask ${id} is damaged`) }),
  );
});

test("a database of the first schema is migrated, and its asks have no group", () => {
  const { database, file, asks } = opened();
  asked(asks, "agent", "r-1");
  database.exec('ALTER TABLE ask DROP COLUMN "group"; ALTER TABLE ask DROP COLUMN incomplete');
  database.pragma("user_version = 1");
  const again = openDatabase(file);
  onTestFinished(() => void again.close());
  expect(again.prepare('SELECT ref, "group", incomplete FROM ask').all()).toEqual([
    { ref: "r-1", group: null, incomplete: 0 },
  ]);
});

test("the newest ended asks are kept, old ones are deleted, and open ones stay whatever their age", () => {
  const { asks, setNow } = opened({ endedMax: 2, endedMsMax: 10_000 });
  const open = asked(asks, "a", "open");
  const ended = ["1", "2", "3"].map((ref) => asked(asks, "a", ref));
  for (const id of ended) asks.withdraw(id, "over");
  asks.prune();
  expect(asks.list({}).asks.map(({ ask }) => ask)).toEqual([open, ended[1], ended[2]]);
  setNow(10_001);
  asks.prune();
  expect(asks.list({}).asks.map(({ ask }) => ask)).toEqual([open]);
});

test("an answer that its source has not noted is not evicted by other asks, until it is too old", () => {
  const { asks, setNow } = opened({ endedMax: 2, endedMsMax: 10_000 });
  const answered = asked(asks, "agent", "r-1");
  asks.answer(answered, "yes", { via: null, by: "a" });
  for (let n = 0; n < 5; n += 1) {
    asks.withdraw(asked(asks, "mcp-a", `w-${n}`), "over");
    asks.expire(asked(asks, "mcp-a", `e-${n}`));
    asks.prune();
  }
  expect(asks.get(answered)).toMatchObject({ state: "answered", noted: false });
  expect(asks.list({}).asks).toHaveLength(2);
  setNow(10_001);
  asks.prune();
  expect(asks.get(answered)).toBeUndefined();
});

test("a list comes in pages that fit a frame, each ask once and in order", () => {
  const { asks } = opened();
  const body = "\u0001".repeat(4096);
  const ids = Array.from({ length: 250 }, (_, n) => asked(asks, "a", `r-${n}`, { body, group: `${n}` }));
  const seen: string[] = [];
  let pages = 0;
  for (let after: string | undefined; ; after = seen.at(-1)) {
    const page = asks.list(after === undefined ? {} : { after });
    pages += 1;
    seen.push(...page.asks.map(({ ask }) => ask));
    if (!page.more) break;
  }
  expect(pages).toBeGreaterThan(1);
  expect(seen).toEqual(ids);
});

test("the file has mode 0600, and a database of another program is refused", () => {
  const { file } = opened();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { file: other, database } = opened();
  database.pragma("application_id = 7");
  database.close();
  expect(() => openDatabase(other)).toThrow("another program");
});

test.each(["", "-wal"])("asks and answers fail once the file%s was removed", (suffix) => {
  const { asks, file } = opened();
  const id = asked(asks, "a", "1");
  rmSync(`${file}${suffix}`);
  for (const act of [() => asks.ask("a", question("2")), () => asks.answer(id, "yes", { via: null, by: "a" })]) {
    expect(act).toThrow(expect.objectContaining({ code: "SQLITE_READONLY_DBMOVED" }));
  }
  expect(asks.get(id)).toMatchObject({ state: "open" });
});

test("closing the database leaves a replaced file alone", () => {
  const { asks, file, database } = opened();
  asked(asks, "a", "1");
  renameSync(`${file}-wal`, `${file}-wal.old`);
  writeFileSync(`${file}-wal`, "another's");
  asks.close();
  expect(database.open).toBe(true);
  expect(readFileSync(`${file}-wal`, "utf8")).toBe("another's");
});

test("an empty file, or a write-ahead log without its database, is an error and not a new store", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "empty.db"), "");
  expect(() => openDatabase(join(directory, "empty.db"))).toThrow("is empty");
  writeFileSync(join(directory, "asks.db-wal"), "what was answered");
  expect(() => openDatabase(join(directory, "asks.db"))).toThrow("is missing");
});

test("an ended ask cannot be changed by any SQL statement", () => {
  const { asks, database } = opened();
  const id = asked(asks, "a", "1");
  asks.answer(id, "no", { via: null, by: "a" });
  expect(() => database.exec("UPDATE ask SET option = 'yes'")).toThrow("an ask ends once");
});

function opened(some: Partial<Limits> = {}) {
  const file = join(temporaryDirectory(), "asks.db");
  const database = openDatabase(file);
  onTestFinished(() => void database.close());
  let now = 0;
  const asks = new Asks({ database, limits: { ...limits, ...some }, now: () => now });
  return { asks, database, file, setNow: (ms: number) => (now = ms) };
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}

function question(ref: string, some: Partial<NotifyInput<"ask">> = {}) {
  return notifyArguments.ask.parse({
    title: "May it?",
    body: "read a file",
    options: [
      { option: "yes", label: "Yes", kind: "allow_once" },
      { option: "no", label: "No", kind: "reject_once" },
    ],
    source: "agentd/log",
    ref,
    ...some,
  });
}

function asked(asks: Asks, source: string, ref: string, some: Partial<NotifyInput<"ask">> = {}): string {
  const result = asks.ask(source, question(ref, some));
  if (result.kind !== "asked") throw new Error(result.kind);
  return result.ask.ask;
}
