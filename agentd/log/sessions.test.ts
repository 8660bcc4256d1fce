// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { EntryContent, SessionPhase } from "../vocabulary/index.ts";
import type { Log } from "./open.ts";
import { listSelects } from "./sessions.ts";
import { runToEnd } from "./testing/maintained-log.ts";
import { alpha, bravo, fill, message, otherConnection, temporaryLog } from "./testing/temporary-log.ts";

function start(
  log: Log,
  session: string,
  members: { name?: string; agent?: string; cwd?: string; parent?: string } = {},
): void {
  const entry: EntryContent = { kind: "state", state: "starting", agent: "demo", cwd: "/w", ...members };
  log.append([{ session, expectSeq: 0, entries: [entry] }]);
}

function become(log: Log, session: string, state: SessionPhase): void {
  log.append([{ session, expectSeq: log.entries.lastSeq(session)!, entries: [{ kind: "state", state }] }]);
}

test("a reference is tried as an id before a name, and as a name before a prefix", () => {
  const log = temporaryLog();
  start(log, alpha, { name: bravo });
  start(log, bravo, { name: "alp" });
  expect(log.sessions.find(bravo)).toEqual({ found: "one", session: bravo });
  expect(log.sessions.find("alp")).toEqual({ found: "one", session: bravo });
  expect(log.sessions.find("alph")).toEqual({ found: "one", session: alpha });
  expect(log.sessions.find("b")).toEqual({ found: "one", session: bravo });
});

test("a name refers to the live session that has it, else to the newest one that had it", () => {
  const log = temporaryLog();
  start(log, alpha, { name: "work" });
  become(log, alpha, "closed");
  expect(log.sessions.find("work")).toEqual({ found: "one", session: alpha });
  start(log, bravo, { name: "work" });
  expect(log.sessions.find("work")).toEqual({ found: "one", session: bravo });
  become(log, bravo, "failed");
  expect(log.sessions.find("work")).toEqual({ found: "one", session: bravo });
  become(log, alpha, "starting");
  expect(log.sessions.find("work")).toEqual({ found: "one", session: alpha });
  expect(log.sessions.find(bravo)).toEqual({ found: "one", session: bravo });
});

test("an ended session's name has priority over an ended session's prefix, but not over a live one's", () => {
  const log = temporaryLog();
  start(log, alpha);
  start(log, bravo, { name: alpha.slice(0, 3) });
  become(log, bravo, "closed");
  expect(log.sessions.find(alpha.slice(0, 3))).toEqual({ found: "one", session: alpha });
  become(log, alpha, "closed");
  expect(log.sessions.find(alpha.slice(0, 3))).toEqual({ found: "one", session: bravo });
  expect(log.sessions.find(alpha.slice(0, 4))).toEqual({ found: "one", session: alpha });
});

test("a prefix refers to the only live session that has it, and is ambiguous if two live ones do", () => {
  const log = temporaryLog();
  const [one, two] = ["zzaaaaaaaaaa", "zzbaaaaaaaaa"];
  start(log, one);
  start(log, two);
  start(log, bravo, { name: "zz" });
  expect(log.sessions.find("zz")).toEqual({ found: "one", session: bravo });
  become(log, bravo, "closed");
  expect(log.sessions.find("zz")).toEqual({ found: "one", session: bravo });
  expect(log.sessions.find("z")).toEqual({ found: "several", sessions: [one, two] });
  become(log, one, "closed");
  expect(log.sessions.find("z")).toEqual({ found: "one", session: two });
});

test("a name refers to a purged session only if no other session has it", () => {
  const log = temporaryLog();
  start(log, alpha, { name: "work" });
  become(log, alpha, "closed");
  start(log, bravo, { name: "work" });
  become(log, bravo, "closed");
  expect(log.sessions.find("work")).toEqual({ found: "one", session: bravo });
  runToEnd(log.maintenance.purge(bravo));
  // The reply to the purge comes after the purge.
  fill(log, bravo, 1);
  expect(log.sessions.find("work")).toEqual({ found: "one", session: alpha });
  runToEnd(log.maintenance.purge(alpha));
  expect(log.sessions.find("work")).toEqual({ found: "one", session: bravo });
});

test("an ambiguous prefix lists at most eight sessions", () => {
  const log = temporaryLog();
  const ids = Array.from("abcdefghij", (letter) => `zz${letter}aaaaaaaaa`);
  for (const id of ids) start(log, id);
  expect(log.sessions.find("zz")).toEqual({ found: "several", sessions: ids.slice(0, 8) });
  expect(log.sessions.find("zzc")).toEqual({ found: "one", session: ids[2] });
});

test.each(["", "%", "_", "ALPHA", "nothing", "in", "x'; --"])(
  "%j finds nothing, and never the instance",
  (reference) => {
    const log = temporaryLog();
    start(log, alpha);
    expect(log.sessions.find(reference)).toEqual({ found: "none" });
    expect(log.sessions.find("instance")).toEqual({ found: "one", session: "instance" });
  },
);

test("the list is newest first, without the instance, and new sessions do not shift its pages", () => {
  const log = temporaryLog();
  const ids = Array.from("abcdefg", (letter) => `${letter}aaaaaaaaaaa`);
  for (const id of ids) start(log, id);
  const first = listed(log, { limit: 3 });
  start(log, bravo);
  const second = listed(log, { limit: 3, after: first.next! });
  const third = listed(log, { limit: 3, after: second.next! });
  expect([first, second, third].map((page) => page.ids)).toEqual([
    [ids[6], ids[5], ids[4]],
    [ids[3], ids[2], ids[1]],
    [ids[0]],
  ]);
  expect(third.next).toBeUndefined();
});

test("a list can be filtered by states, agent and directory", () => {
  const log = temporaryLog();
  start(log, alpha, { agent: "codex", cwd: "/one" });
  start(log, bravo, { agent: "demo", cwd: "/two" });
  become(log, bravo, "lost");
  expect(listed(log, { state: ["lost", "failed"] }).ids).toEqual([bravo]);
  expect(listed(log, { state: [] }).ids).toEqual([]);
  expect(listed(log, { agent: "codex" }).ids).toEqual([alpha]);
  expect(listed(log, { cwd: "/two" }).ids).toEqual([bravo]);
  expect(listed(log, { cwd: "/two", agent: "codex" }).ids).toEqual([]);
});

test("a list of live and ended states is in order over its pages", () => {
  const log = temporaryLog();
  const states = ["closed", "idle", "failed", "lost", "running", "closed", "idle"] as const;
  const ids = states.map((_, index) => `${"abcdefg"[index]}aaaaaaaaaaa`);
  for (const [index, state] of states.entries()) {
    start(log, ids[index]!);
    become(log, ids[index]!, state);
  }
  const state = ["closed", "idle", "running", "closed"] as const;
  const first = listed(log, { state, limit: 2 });
  const second = listed(log, { state, limit: 2, after: first.next! });
  const third = listed(log, { state, limit: 2, after: second.next! });
  expect([first, second, third].map((page) => page.ids)).toEqual([[ids[6], ids[5]], [ids[4], ids[1]], [ids[0]]]);
  expect(third.next).toBeUndefined();
});

test("a list by state reads no session in another state, and sorts only live ones", () => {
  const db = otherConnection(temporaryLog().file);
  const plan = (query: Parameters<typeof listSelects>[0]): string[] =>
    listSelects(query, 101).flatMap(({ sql, values }) =>
      db
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...values)
        .map(({ detail }) => detail),
    );
  const live = ["SCAN session USING INDEX session_live", "USE TEMP B-TREE FOR ORDER BY"];
  expect(plan({ state: ["running", "waiting"] })).toEqual(live);
  expect(plan({ state: ["running"], agent: "demo", below: 7 })).toEqual(live);
  const ended = "SEARCH session USING INDEX session_ended (state=?)";
  expect(plan({ state: ["failed"] })).toEqual([ended]);
  expect(plan({ state: ["closed", "idle", "lost"] })).toEqual([...live, ended, ended]);
  expect(plan({ state: ["failed"], below: 7 })).toEqual([
    "SEARCH session USING INDEX session_ended (state=? AND rowid<?)",
  ]);
  expect(plan({ state: ["running"], cwd: "/w" })[0]).toBe("SEARCH session USING INDEX session_cwd (cwd=?)");
  expect(plan({})).toEqual(["SCAN session"]);
});

test.each(["", "7", "s", "s-1", "S1", "s1 OR 1", "szzzzzz"])("a list does not go on after %j", (after) => {
  expect(temporaryLog().sessions.list({ after })).toEqual({ refused: "cursor" });
});

test("the live sessions are those that recovery must end, with what is open in each", () => {
  const log = temporaryLog();
  start(log, alpha);
  start(log, bravo);
  become(log, bravo, "failed");
  log.append([{ session: alpha, expectSeq: 1, entries: [{ kind: "turn", turn: 1, phase: "started" }] }]);
  const live = log.sessions.live();
  expect(live.map(({ session }) => session)).toEqual([alpha]);
  expect(live[0]).toEqual(log.sessions.row(alpha));
  expect(live[0]?.open.turns).toEqual([{ turn: 1, phase: "started", seq: 2 }]);
});

test("finding a name reads no session with another name", () => {
  const db = otherConnection(temporaryLog().file);
  const plan = (query: string): string[] =>
    db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN SELECT id FROM session ${query}`)
      .all()
      .map(({ detail }) => detail);
  const isLive = "state IN ('starting', 'idle', 'running', 'waiting', 'closing')";
  expect(plan(`INDEXED BY session_live WHERE name = 'n' AND ${isLive}`)).toEqual([
    "SEARCH session USING INDEX session_live (name=?)",
  ]);
  // There are few live sessions.
  expect(plan(`INDEXED BY session_live WHERE id >= 'a' AND id < 'a{' AND ${isLive}`)).toEqual([
    "SCAN session USING INDEX session_live",
  ]);
  // The plan has no sort step either.
  expect(plan("WHERE name = 'n' ORDER BY sid DESC LIMIT 1")).toEqual([
    "SEARCH session USING INDEX session_name (name=?)",
  ]);
});

test("children are the sessions that name it as parent, newest first", () => {
  const log = temporaryLog();
  start(log, alpha);
  start(log, bravo, { parent: alpha });
  start(log, "childchildcc", { parent: alpha });
  expect(log.sessions.children(alpha)).toEqual(["childchildcc", bravo]);
  expect(log.sessions.children(bravo)).toEqual([]);
});

test("each part of a snapshot is the last entry that has it, in full", () => {
  const log = temporaryLog();
  start(log, alpha, { name: "n" });
  const option = { option: "mode", name: "Mode", type: "select", value: "plan" } as const;
  log.append([
    {
      session: alpha,
      expectSeq: 1,
      entries: [
        { kind: "state", state: "idle", agent_session_id: "s-1", protocol_version: 1 },
        { kind: "options", options: [] },
        { kind: "options", options: [option] },
        { kind: "info", title: "Title" },
        { kind: "usage", used: 5, size: 10 },
        message("noise"),
      ],
    },
  ]);
  become(log, alpha, "running");
  const latest = log.sessions.latest(alpha);
  expect(latest).toMatchObject({
    state: { seq: 8, state: "running" },
    life: { seq: 1, name: "n", cwd: "/w" },
    up: { seq: 2, agent_session_id: "s-1", protocol_version: 1 },
    options: { seq: 4, options: [option] },
    usage: { seq: 6, used: 5 },
    info: { title: "Title" },
  });
  expect(latest?.plan).toBeUndefined();
  expect(log.sessions.latest(bravo)).toBeUndefined();
});

test("only requests that nobody answered in time count as unanswered", () => {
  const log = temporaryLog();
  start(log, alpha);
  const permission = (more: object) => ({ kind: "permission", request: `${alpha}-1`, ...more }) as EntryContent;
  const told = { tool_call_id: "t", title: '"via":"timeout"' };
  log.append([
    {
      session: alpha,
      expectSeq: 1,
      entries: [
        permission({ phase: "requested", tool_call: told }),
        permission({ phase: "resolved", outcome: "selected", option: "no", via: "timeout", by: null }),
        permission({ phase: "sent" }),
        permission({ phase: "resolved", outcome: "selected", option: "no", by: "mix-a" }),
        { kind: "elicitation", request: `${alpha}-2`, phase: "resolved", outcome: "cancel", via: "timeout", by: null },
        { kind: "elicitation", request: `${alpha}-3`, phase: "resolved", outcome: "cancel", via: "timeout", by: null },
      ],
    },
  ]);
  expect(log.sessions.unanswered(alpha)).toEqual({ permissions: 1, elicitations: 2 });
  expect(log.sessions.unanswered(bravo)).toEqual({ permissions: 0, elicitations: 0 });
});

test("a session has the times of its creation and of its last entry", () => {
  let now = Date.parse("2030-01-01T00:00:00.000Z");
  const log = temporaryLog({ clock: { now: () => now } });
  start(log, alpha);
  now += 1500;
  fill(log, alpha, 1);
  expect(log.sessions.row(alpha)).toMatchObject({
    created_at: "2030-01-01T00:00:00.000Z",
    updated_at: "2030-01-01T00:00:01.500Z",
    last_seq: 2,
    state: "starting",
  });
});

function listed(log: Log, query: Parameters<Log["sessions"]["list"]>[0]): { ids: string[]; next?: string } {
  const list = log.sessions.list(query);
  if (list.refused !== undefined) throw new Error("refused");
  return { ids: list.sessions.map(({ session }) => session), ...(list.next === undefined ? {} : { next: list.next }) };
}
