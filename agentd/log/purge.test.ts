// SPDX-License-Identifier: MIT OR Apache-2.0
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Log } from "./open.ts";
import {
  appendTo,
  answeredCommand,
  startingState,
  closedState,
  endedSession,
  filesWith,
  runToEnd,
  verified,
} from "./testing/maintained-log.ts";
import {
  alpha,
  bravo,
  everything,
  fill,
  otherConnection,
  temporaryDirectory,
  temporaryLog,
} from "./testing/temporary-log.ts";

function count(log: Log, sql: string): unknown {
  const db = otherConnection(log.file);
  const found = db.prepare(sql).pluck().get();
  db.close();
  return found;
}

test("a purged session has no entry, seal and secret left, but is still listed with how it ended", async () => {
  const log = temporaryLog();
  endedSession(log, alpha, 1200);
  log.append([{ session: alpha, expectSeq: 1203, entries: [], literals: '{"TOKEN":"t"}' }]);
  fill(log, bravo, 3);
  const chain = count(log, "SELECT digest FROM seal WHERE first >> 30 = 2 ORDER BY first DESC LIMIT 1");
  const others = everything(log, bravo);
  const before = log.sessions.row(alpha);
  expect(log.maintenance.purgeable(alpha)).toBe(1203);
  expect(everything(log, alpha)).toHaveLength(1203);

  expect(runToEnd(log.maintenance.purge(alpha))).toEqual({ entries: 1203, walTruncated: true });
  expect(everything(log, alpha)).toEqual([]);
  expect(log.literals(alpha)).toBeUndefined();
  expect(log.sessions.row(alpha)).toEqual({ ...before, agent_session_id: null, latest: { info: {}, chosen: {} } });
  expect(count(log, "SELECT count(*) FROM seal WHERE first >> 30 = 2")).toBe(0);
  const db = otherConnection(log.file);
  expect(db.prepare("SELECT sid, last_seq, entries, chain FROM tombstone").all()).toEqual([
    { sid: 2, last_seq: 1203, entries: 1203, chain },
  ]);
  expect(everything(log, bravo)).toEqual(others);
  expect(log.maintenance.unfinishedPurges()).toEqual([]);
  expect(log.maintenance.purgeable(alpha)).toBe(0);
  expect(runToEnd(log.maintenance.purge(alpha)).entries).toBe(0);
  expect(await verified(log)).toMatchObject({ ok: true, problems: [], sessions: 2, entries: 3 });
});

test("purged data is in no byte of the files, and their space is reclaimed", () => {
  const log = temporaryLog();
  endedSession(log, alpha, 2000, (index) => `the-purged-text-${index} ${"x".repeat(1000)}`);
  fill(log, bravo, 1, () => "the-text-that-stays");
  expect(filesWith(log, "the-purged-text")).not.toEqual([]);
  const full = log.maintenance.space();
  expect(full.used).toBeGreaterThan(2_000_000);
  runToEnd(log.maintenance.purge(alpha));
  expect(filesWith(log, "the-purged-text")).toEqual([]);
  expect(filesWith(log, "what it was about")).toEqual([]);
  expect(filesWith(log, "the-text-that-stays")).not.toEqual([]);
  expect(log.maintenance.space()).toEqual({
    file: statSync(log.file).size,
    writeAhead: 0,
    used: statSync(log.file).size,
    free: 0,
  });
  expect(log.maintenance.space().used).toBeLessThan(full.used / 10);
});

test("receipts outlive a purge: short replies byte for byte, long ones as a note, other sessions' unchanged", () => {
  const log = temporaryLog();
  appendTo(log, alpha, startingState);
  const long = (character: string) => JSON.stringify({ text: character.repeat(4090) });
  const short = JSON.stringify({ text: "s".repeat(4096 - 11) });
  expect(Buffer.byteLength(short)).toBe(4096);
  answeredCommand(log, alpha, { scope: "instance", commandId: "start", body: long("i") });
  answeredCommand(log, alpha, { scope: alpha, commandId: "short", body: short });
  const seq = answeredCommand(log, alpha, { scope: alpha, commandId: "long", body: long("l") });
  answeredCommand(log, bravo, { scope: "instance", commandId: "other", body: long("o") });
  appendTo(log, alpha, closedState);
  const kept = log.receipts.find(alpha, "long");
  runToEnd(log.maintenance.purge(alpha));
  expect(log.receipts.find(alpha, "short")?.answer).toEqual({ rc: 0, body: short });
  expect(log.receipts.find(alpha, "long")).toEqual({
    ...kept,
    answer: { rc: 0, body: `{"session":"${alpha}","seq":${seq},"purged":true}` },
  });
  expect(log.receipts.find("instance", "start")?.answer?.body).toBe(`{"session":"${alpha}","seq":2,"purged":true}`);
  expect(log.receipts.find("instance", "other")?.answer?.body).toBe(long("o"));
});

test("the number of steps of a purge does not depend on the receipts of other sessions", { tags: "slow" }, () => {
  const stepsWith = (others: number): number => {
    const log = temporaryLog();
    endedSession(log, alpha, 10);
    const body = JSON.stringify({ text: "o".repeat(5000) });
    for (let other = 0; other < others; other += 1)
      answeredCommand(log, bravo, { scope: "instance", commandId: `other-${other}`, body });
    let steps = 0;
    runToEnd(log.maintenance.remove(alpha), () => (steps += 1));
    return steps;
  };
  expect(stepsWith(1200)).toBe(stepsWith(0));
});

test("a purge of a live session or of the instance is refused and changes nothing", () => {
  const log = temporaryLog();
  appendTo(log, alpha, startingState);
  fill(log, "instance", 2);
  for (const session of [alpha, "instance"]) {
    const before = everything(log, session);
    expect(() => log.maintenance.purge(session).next()).toThrow("is not ended");
    expect(everything(log, session)).toEqual(before);
  }
  expect(() => log.maintenance.purge("nosuchsessio").next()).toThrow("no session nosuchsessio");
  expect(count(log, "SELECT count(*) FROM tombstone")).toBe(0);
});

test("a session continues during and after its purge, and can be purged again later", async () => {
  const log = temporaryLog();
  endedSession(log, alpha, 1500);
  let appended = 0;
  runToEnd(log.maintenance.purge(alpha), () => {
    fill(log, bravo, 1);
    if (appended < 3)
      appendTo(log, alpha, ...(appended === 0 ? [startingState] : [{ kind: "info", title: `t${appended}` } as const]));
    appended += 1;
  });
  expect(everything(log, alpha).map((entry) => entry["seq"])).toEqual([1504, 1505, 1506]);
  expect(log.sessions.row(alpha)?.latest).toMatchObject({ state: 1504, info: { title: "t2" } });
  expect(await verified(log)).toMatchObject({ ok: true, problems: [], entries: 3 + everything(log, bravo).length });
  appendTo(log, alpha, closedState);
  expect(runToEnd(log.maintenance.purge(alpha)).entries).toBe(4);
  expect(count(log, "SELECT count(*) FROM tombstone")).toBe(2);
  expect(await verified(log)).toMatchObject({ ok: true, problems: [] });
});

test(
  "a purge that is interrupted after any step is found when the log is opened, and finished",
  { tags: "slow" },
  async () => {
    const directory = temporaryDirectory();
    const first = temporaryLog({ file: path.join(directory, "first.db") });
    endedSession(first, alpha, 1700);
    answeredCommand(first, alpha, {
      scope: alpha,
      commandId: "long",
      body: JSON.stringify({ text: "l".repeat(5000) }),
    });
    first.close();
    let ended = false;
    for (let steps = 1; !ended; steps += 1) {
      const file = path.join(directory, `${steps}.db`);
      copyFileSync(first.file, file);
      const left = temporaryLog({ file });
      const purge = left.maintenance.purge(alpha);
      for (let step = 0; step < steps && !ended; step += 1) ended = purge.next().done === true;
      left.close();

      const log = temporaryLog({ file });
      const rest = everything(log, alpha).map((entry) => entry["seq"]);
      expect(rest).toEqual(Array.from(rest, (_, index) => 1705 - rest.length + 1 + index));
      const entriesLeft = count(log, "SELECT count(*) FROM seal WHERE first >> 30 = 2");
      expect(log.maintenance.unfinishedPurges()).toEqual(entriesLeft === 0 ? [] : [alpha]);
      expect(await verified(log)).toMatchObject({ ok: true, problems: [] });
      for (const session of log.maintenance.unfinishedPurges()) runToEnd(log.maintenance.finishPurge(session));
      expect(log.maintenance.unfinishedPurges()).toEqual([]);
      expect(everything(log, alpha)).toEqual([]);
      expect(log.receipts.find(alpha, "long")?.answer?.body).toContain('"purged":true');
      expect(await verified(log)).toMatchObject({ ok: true, problems: [], entries: 0 });
      log.close();
      if (ended) expect(steps).toBeGreaterThan(8);
    }
  },
);

test("entries that were appended after a purge began stay when the next process finishes it", () => {
  const log = temporaryLog();
  endedSession(log, alpha, 900);
  log.maintenance.purge(alpha).next();
  appendTo(log, alpha, startingState);
  log.close();
  const again = temporaryLog({ file: log.file });
  appendTo(again, alpha, closedState);
  for (const session of again.maintenance.unfinishedPurges()) runToEnd(again.maintenance.finishPurge(session));
  expect(everything(again, alpha).map((entry) => entry["seq"])).toEqual([904, 905]);
});

test("a step removes at most some hundred entries and about a mebibyte", () => {
  const small = temporaryLog();
  endedSession(small, alpha, 1998);
  const big = temporaryLog();
  endedSession(big, alpha, 20, () => "x".repeat(300 * 1024));
  const removedAtOnce = (log: Log): number => {
    let [left, most] = [log.maintenance.purgeable(alpha), 0];
    runToEnd(log.maintenance.purge(alpha), () => {
      const now = everything(log, alpha).length;
      [left, most] = [now, Math.max(most, left - now)];
    });
    return most;
  };
  expect(removedAtOnce(small)).toBe(500);
  expect(removedAtOnce(big)).toBe(4);
});

const program = fileURLToPath(new URL("testing/purge-until-killed.ts", import.meta.url));

test.each([1, 3, 4])(
  "a purge that is killed by kill -9 after step %i is finished by the next process",
  { tags: "slow" },
  async (steps) => {
    const log = temporaryLog({ file: path.join(temporaryDirectory(), "log.db") });
    endedSession(log, alpha, 1500);
    fill(log, bravo, 5);
    log.close();
    const child = spawn(process.execPath, ["--import", "tsx", program, log.file, alpha], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const exited = once(child, "exit");
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      expect(line).toBe("step");
      seen += 1;
      if (seen === steps) child.kill("SIGKILL");
      else child.stdin.write("\n");
    }
    expect(await exited).toEqual([null, "SIGKILL"]);

    const again = temporaryLog({ file: log.file });
    expect(again.maintenance.unfinishedPurges()).toEqual([alpha]);
    runToEnd(again.maintenance.finishPurge(alpha));
    expect(everything(again, alpha)).toEqual([]);
    expect(everything(again, bravo)).toHaveLength(5);
    expect(await verified(again)).toMatchObject({ ok: true, problems: [] });
  },
);
