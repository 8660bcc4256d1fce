// SPDX-License-Identifier: MIT OR Apache-2.0
// The verbs that maintain the log: purge, prune, redact, verify, stats, export.
import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { done, refused } from "../../bus-client/index.ts";
import type { Ran } from "../testing/command-line-under-test.ts";
import { Bench } from "../testing/command-line-under-test.ts";
import type { ScriptedAgentd } from "../testing/scripted-agentd.ts";
import { lines, objects } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

function answering(verb: string, body: object): Promise<ScriptedAgentd> {
  return bench.agentd({ replies: { [verb]: done(body) } });
}

function mix(...words: readonly string[]): Promise<Ran> {
  return bench.run(["agent", ...words]);
}

const secret = "sk-live-0123456789é";
const nothing = { entries: 0, receipts: 0, literals: 0, sessions: 0, copies: [] };

test("purge reports what it removed, and with --dry-run what it would remove", async () => {
  const agentd = await answering("agent.session.purge", { session: "sessionaaaaa", entries: 12 });
  agentd.begin("sessionaaaaa");
  expect(await mix("purge", "abc", "--id", "once")).toMatchObject({
    code: 0,
    stdout: "sessionaaaaa lost 12 entries\n",
  });
  expect((await mix("purge", "abc", "--dry-run")).stdout).toBe("sessionaaaaa would lose 12 entries\n");
  expect((await mix("purge", "abc", "-q")).stdout).toBe("sessionaaaaa\n");
  expect(JSON.parse((await mix("purge", "abc", "--json", "--dry-run")).stdout)).toEqual({
    schema: "mix.purged.v1",
    session: "sessionaaaaa",
    entries: 12,
    dry_run: true,
  });
  expect(agentd.asked.filter(([verb]) => verb === "agent.session.purge").slice(0, 2)).toEqual([
    ["agent.session.purge", { session: "abc", dry_run: false, command_id: "once" }],
    ["agent.session.purge", { session: "abc", dry_run: true }],
  ]);
});

test("purge names the directory that stays", async () => {
  const agentd = await answering("agent.session.purge", { session: "sessionaaaaa", entries: 1 });
  agentd.begin("sessionaaaaa", { agent: "demo", cwd: "/state/workspaces/session-x" });
  expect((await mix("purge", "sessiona")).stderr).toBe("its directory stays: /state/workspaces/session-x\n");
  expect((await mix("purge", "sessiona", "--quiet")).stderr).toBe("");
});

test("a purge succeeds even if its directory cannot be found out", async () => {
  const replies = {
    "agent.session.purge": done({ session: "sessionaaaaa", entries: 1 }),
    "agent.session.get": refused("REPLY_TOO_LARGE", "the answer is too long", {}, 20),
  };
  await bench.agentd({ replies });
  expect(await mix("purge", "sessiona")).toEqual({ code: 0, stdout: "sessionaaaaa lost 1 entry\n", stderr: "" });
});

test("a purge that agentd refuses prints its code and exits 1", async () => {
  const reply = refused("SESSION_STATE", "the session is idle and can be purged when it has ended");
  await bench.agentd({ replies: { "agent.session.purge": reply } });
  const ran = await mix("purge", "abc");
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toContain("SESSION_STATE: the session is idle");
});

test("prune turns an age into a time and prints the sessions that it purged", async () => {
  const agentd = await answering("agent.log.prune", { sessions: ["sessionaaaaa", "sessionbbbba"], entries: 7 });
  const ran = await mix("prune", "--before", "30d");
  expect(ran).toMatchObject({ code: 0, stdout: "sessionaaaaa\nsessionbbbba\n" });
  expect(ran.stderr).toContain("2 sessions lost 7 entries");
  const before = Date.parse(String(agentd.asked[0]?.[1]["before"]));
  expect(Math.abs(Date.now() - 30 * 86_400_000 - before)).toBeLessThan(60_000);
  const json = await mix("prune", "--before", "2026-01-31", "--dry-run", "--json");
  expect(JSON.parse(json.stdout)).toMatchObject({
    schema: "mix.pruned.v1",
    before: "2026-01-31T00:00:00.000Z",
    dry_run: true,
    entries: 7,
  });
  expect(json.stderr).toBe("");
});

test("prune without a valid time sends nothing and exits 2", async () => {
  const agentd = await answering("agent.log.prune", { sessions: [], entries: 0 });
  expect((await mix("prune")).code).toBe(2);
  expect((await mix("prune", "--before", "soon")).code).toBe(2);
  expect(agentd.asked).toEqual([]);
});

test("redact sends the secret's hash and length in bytes, but never the secret", async () => {
  const agentd = await answering("agent.log.redact", {
    ...nothing,
    entries: 1,
    receipts: 2,
    copies: ["log.db.schema-1"],
  });
  const known = { sha256: createHash("sha256").update(secret).digest("hex"), length: Buffer.byteLength(secret) };
  const ran = await bench.run(["agent", "redact", "--session", "abc"], { stdin: `${secret}\n` });
  expect(ran).toMatchObject({ code: 0 });
  expect(lines(ran.stdout)).toEqual([
    "removed from 1 entry, 2 receipts",
    "deleted an older copy of the log: log.db.schema-1",
  ]);
  expect(agentd.asked).toEqual([["agent.log.redact", { ...known, session: "abc", dry_run: false }]]);
  expect(`${ran.stdout}${ran.stderr}${JSON.stringify(agentd.asked)}`).not.toContain(secret);
  for (const stdin of [secret, `${secret}\r\n`]) await bench.run(["agent", "redact"], { stdin });
  await bench.run(["agent", "redact"], { stdin: `${secret}\n\n` });
  expect(agentd.asked.slice(1).map(([, { length }]) => length)).toEqual([
    known.length,
    known.length,
    // Only one line end is removed, because a secret may have several lines.
    known.length + 1,
  ]);
});

test("a redaction that finds nothing says so, and --dry-run is in the document", async () => {
  await answering("agent.log.redact", nothing);
  expect(await bench.run(["agent", "redact"], { stdin: secret })).toMatchObject({
    code: 0,
    stdout: "the secret is not in the log\n",
  });
  const json = await bench.run(["agent", "redact", "--dry-run", "--json"], { stdin: secret });
  expect(JSON.parse(json.stdout)).toEqual({ schema: "mix.redacted.v1", ...nothing, dry_run: true });
});

test("redact refuses a terminal, an empty or too long secret, and a secret on the command line", async () => {
  const agentd = await answering("agent.log.redact", nothing);
  expect((await bench.run(["agent", "redact"], { tty: true })).code).toBe(2);
  for (const stdin of ["", "\n", "x".repeat(100_000)]) {
    expect((await bench.run(["agent", "redact"], { stdin })).code).toBe(2);
  }
  expect((await bench.run(["agent", "redact", secret], { stdin: secret })).code).toBe(2);
  expect(agentd.asked).toEqual([]);
});

test("verify exits 0 for an intact log, and otherwise 1 with each problem on a line", async () => {
  const counts = { sessions: 2, entries: 30, redacted_commits: 0 };
  const sound = await answering("agent.log.verify", { ok: true, problems: [], ...counts });
  const ran = await mix("verify");
  expect(ran).toMatchObject({ code: 0, stdout: "" });
  expect(ran.stderr).toContain("intact: 30 entries of 2 sessions");
  await sound.citizen.stop();
  await answering("agent.log.verify", { ok: false, problems: ["a\u001b[31m", "b"], ...counts });
  const damaged = await mix("verify");
  expect(damaged.code).toBe(1);
  expect(lines(damaged.stdout)).toEqual([String.raw`a\x1b[31m`, "b"]);
  const json = await mix("verify", "--json");
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    schema: "mix.verified.v1",
    ok: false,
    problems: ["a\u001b[31m", "b"],
  });
});

test("stats prints a table for people, a document, or the ids of the largest sessions", async () => {
  const stats = {
    file_bytes: 160 * 1024,
    write_ahead_bytes: 40 * 1024,
    used_bytes: 1536,
    free_bytes: 0,
    quota_bytes: 2 * 1024 ** 3,
    sessions: 4,
    ended: 3,
    purged: 1,
    entries: 99,
    fullest: [{ session: "sessionaaaaa", entries: 60, updated_at: new Date().toISOString() }],
  };
  const agentd = await answering("agent.log.stats", stats);
  const { stdout } = await mix("stats", "--top", "5");
  // The sum of the file and its write-ahead log, as in agent.status.
  expect(stdout).toContain("on disk   200.0 KiB: file 160.0 KiB, write-ahead log 40.0 KiB");
  const status = await mix("status");
  expect(status.stdout).toContain(", 200.0 KiB on disk, ");
  for (const words of ["1.5 KiB", "2.0 GiB", "sessionaaaaa  60"]) expect(stdout).toContain(words);
  expect((await mix("stats", "-q")).stdout).toBe("sessionaaaaa\n");
  expect(JSON.parse((await mix("stats", "--json")).stdout)).toEqual({ schema: "mix.stats.v1", ...stats });
  expect(agentd.asked.filter(([verb]) => verb === "agent.log.stats").map(([, args]) => args)).toEqual([
    { top: 5 },
    {},
    {},
  ]);
});

test("export writes the session and then all its entries, over as many pages as it takes", async () => {
  const agentd = await bench.agentd({ pageMax: 2 });
  const session = agentd.begin("sessionaaaaa");
  for (let turn = 1; turn <= 3; turn += 1) session.text(turn, `${turn}`);
  const ran = await mix("export", "sessiona");
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const [head, ...entries] = objects(ran.stdout);
  expect(head).toEqual({ schema: "mix.export.v1", snapshot: session.snapshot });
  expect(entries).toEqual(session.entries);
  expect((await mix("export", "nobody")).code).toBe(4);
});
