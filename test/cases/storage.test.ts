// SPDX-License-Identifier: MIT OR Apache-2.0
// The log under strain: floods, a quota, others who hold it or read in it for long. What cannot be logged is not run,
// what was logged is not lost, and all of it is said once.
// @module-tag slow
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Step } from "../scripted-agent/scenario.ts";
import type { Entry, StatsReply } from "../../agentd/vocabulary/index.ts";
import { BusUser, type Refused } from "../harness/bus-user.ts";
import type { DaemonProcess } from "../harness/daemon-process.ts";
import type { Place } from "../harness/place.ts";
import { openLogReader } from "../order/log-reader.ts";
import { agentText, makeCast, ofKind, startWatched, turnEnd } from "./scene.ts";

const MiB = 2 ** 20;
const endTurn: Step = { reply: { stopReason: "end_turn" } };

const logFile = ({ stateDirectory }: Place): string => join(stateDirectory, "log.db");

/** How often agentd's own log has said it. */
function timesSaid(daemon: DaemonProcess, words: string): number {
  return daemon.words().split(words).length - 1;
}

/** Bytes: the most that the process has ever had. */
function peakMemory({ child }: DaemonProcess): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

function withoutGap(log: readonly Entry[]): boolean {
  return log.every(({ seq }, index) => seq === index + 1);
}

test("a flood is stopped soon after the quota: the alarm is raised once, and a purge makes room (case 125)", async () => {
  const flood: Step = { flood: "chunks", count: 4_000, bytes: 60_000 };
  using cast = makeCast(
    { scripted: { rules: [{ on: "session/prompt", match: "much", do: [flood, endTurn] }] } },
    { settings: 'log_quota = "1MB"' },
  );
  const { daemon, user } = await startWatched(cast.place);
  await using _ = daemon;
  const cwd = cast.place.directory();
  const session = await user.start({ agent: "scripted", cwd, prompt: "much" });
  const ended = await user.wait(session, "ended");
  expect(ended).toMatchObject({ state: "lost", error: { error_code: "STORE_FAILED" } });
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "interrupted" });
  const { used_bytes: used } = await user.call<StatsReply>("agent.log.stats", {});
  expect(used).toBeGreaterThan(33 * MiB);
  expect(used).toBeLessThan(65 * MiB);
  expect(peakMemory(daemon)).toBeLessThan(400 * MiB);
  expect(timesSaid(daemon, "the log is filling up: full")).toBe(1);
  expect(timesSaid(daemon, "the log is filling up: warning")).toBeLessThanOrEqual(1);
  expect(await user.refusal("agent.session.start", { agent: "scripted", cwd })).toMatchObject({
    code: "STORE_FAILED",
    body: { reason: "quota" },
  });
  await user.call("agent.session.purge", { session });
  const next = await user.start({ agent: "scripted", cwd, prompt: "little" });
  await user.wait(next, "idle");
  expect(agentText(await user.log(next))).toBe("ok");
  expect(timesSaid(daemon, "the log has room again")).toBe(1);
});

test("while the log cannot be written a flood waits in its pipe, the failure is told once and logged nowhere (case 125)", async () => {
  const flood: Step = { flood: "chunks", count: 20_000, bytes: 1_000, numbered: true };
  using cast = makeCast({ scripted: { rules: [{ on: "session/prompt", do: [flood, endTurn] }] } });
  const { place } = cast;
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  await using disk = openLogReader(logFile(place));
  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  await user.wait(session, "idle");
  await user.prompt(session, "go");
  await user.entry(session, (entry) => entry.kind === "message" && entry.role === "agent");
  await disk.hold();
  const refusals: Refused[] = [];
  while (refusals.length < 6)
    refusals.push(await user.refusal("agent.session.prompt", { session, prompt: "more", when_busy: "queue" }));
  for (const { code, body } of refusals) expect([code, body["reason"]]).toEqual(["STORE_FAILED", "busy"]);
  await disk.release();
  await turnEnd(user, session);
  const log = await user.log(session);
  expect(withoutGap(log)).toBe(true);
  const numbers = agentText(log).match(/\d+(?= )/g) ?? [];
  expect(numbers).toEqual(Array.from({ length: 20_000 }, (_unused, index) => String(index + 1)));
  expect(ofKind(log, "diagnostic")).toEqual([]);
  expect(JSON.stringify(log)).not.toContain("STORE_FAILED");
  expect(timesSaid(daemon, "the log cannot be written; agents wait")).toBe(1);
  expect(timesSaid(daemon, "the log can be written again")).toBe(1);
  expect(peakMemory(daemon)).toBeLessThan(400 * MiB);
});

test("prompts that come while another process holds the log for 3 s are each answered, and none is lost or doubled (case 128)", async () => {
  const plans = 500;
  const paced: Step = { repeat: plans, do: [{ update: { sessionUpdate: "plan", entries: [] } }, { waitMs: 8 }] };
  using cast = makeCast({
    scripted: { rules: [{ on: "session/prompt", match: "pace", do: [{ text: "now" }, paced, endTurn] }] },
  });
  const { place } = cast;
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  await using disk = openLogReader(logFile(place));
  const cwd = place.directory();
  const [pacing, asked] = [
    await user.start({ agent: "scripted", cwd, prompt: "pace" }),
    await user.start({ agent: "scripted", cwd }),
  ];
  await user.wait(asked, "idle");
  await user.entry(pacing, (entry) => entry.kind === "message" && entry.role === "agent");
  const refused: string[] = [];
  const ask = async (word: string): Promise<boolean> => {
    try {
      const args = { session: asked, prompt: word, when_busy: "queue", command_id: word } as const;
      await user.call("agent.session.prompt", args);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: "STORE_FAILED", body: { reason: "busy" } });
      return false;
    }
  };
  await disk.hold();
  const began = performance.now();
  const words: string[] = [];
  while (performance.now() - began < 3_000) {
    const word = `word-${words.length}`;
    words.push(word);
    const before = performance.now();
    if (!(await ask(word))) refused.push(word);
    expect(performance.now() - before).toBeLessThan(3_000);
  }
  expect(refused).toEqual(words);
  // Whoever only reads is answered meanwhile.
  expect(await user.get(asked)).toMatchObject({ state: "idle", turns: 0 });
  await disk.release();
  for (const word of refused) while (!(await ask(word)));
  // Once more each: what was accepted is not run again.
  for (const word of refused) expect(await ask(word)).toBe(true);
  for (let turn = 1; turn <= words.length; turn += 1) {
    expect(await turnEnd(user, asked, turn)).toMatchObject({ stop_reason: "end_turn" });
  }
  const prompts = ofKind(await user.log(asked), "message").filter(({ role }) => role === "user");
  expect(prompts.map(({ content }) => content["text"])).toEqual(words);
  expect(await turnEnd(user, pacing)).toMatchObject({ stop_reason: "end_turn" });
  const log = await user.log(pacing);
  expect(withoutGap(log)).toBe(true);
  expect(ofKind(log, "plan")).toHaveLength(plans);
});

test("followers keep the write-ahead log small; a foreign long reader lets it grow, and agentd goes on (case 130)", async () => {
  const flood: Step = { flood: "chunks", count: 700, bytes: 60_000 };
  using cast = makeCast({
    scripted: { rules: [{ on: "session/prompt", match: "much", do: [flood, endTurn] }] },
  });
  const { place } = cast;
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  await using reader = openLogReader(logFile(place));
  const walBytes = (): number => statSync(`${logFile(place)}-wal`).size;
  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  await user.wait(session, "idle");
  const followers = [new BusUser(await daemon.connect()), new BusUser(await daemon.connect())];
  const turn = await user.prompt(session, "much much");
  let over = false;
  let followed = 0;
  const following = followers.map(async (follower) => {
    let after = 0;
    while (!over) {
      const page = await follower.call<{ entries: Entry[]; last_seq: number }>("agent.session.log", { session, after });
      after = page.entries.at(-1)?.seq ?? after;
      followed = Math.max(followed, walBytes());
    }
  });
  await turnEnd(user, session, turn);
  over = true;
  await Promise.all(following);
  expect(followed).toBeLessThan(28 * MiB);

  await reader.look();
  await turnEnd(user, session, await user.prompt(session, "much again"));
  const grown = walBytes();
  expect(grown).toBeGreaterThan(40 * MiB);
  await reader.leave();
  let turns = 0;
  for (; walBytes() > 16 * MiB && turns < 5; turns += 1)
    await turnEnd(user, session, await user.prompt(session, "small"));
  expect(walBytes()).toBeLessThanOrEqual(16 * MiB);
  expect(await user.call("agent.log.verify", {})).toMatchObject({ ok: true, problems: [] });
});
