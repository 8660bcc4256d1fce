// SPDX-License-Identifier: MIT OR Apache-2.0
// Keeping the log in hand, over the Bus: purge, prune, redact, verify, stats.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scriptedAgent } from "./scripted-agent/agent-files.ts";
import type { PruneReply, PurgeReply, RedactReply, StatsReply, VerifyReply } from "../agentd/vocabulary/index.ts";
import { BusUser } from "./harness/bus-user.ts";
import { startDaemonHere } from "./harness/daemon-here.ts";
import { makePlace } from "./harness/place.ts";

const chunk = (text: string) => ({ update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } });

async function ended(user: BusUser, cwd: string, prompt = "go"): Promise<string> {
  const session = await user.start({ agent: "mine", cwd, prompt });
  await user.wait(session, "idle");
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  return session;
}

test("a purge removes an ended session's entries for good, and its commands stay answered", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  const session = await ended(user, place.directory());
  const before = await user.get(session);
  const dry = await user.call<PurgeReply>("agent.session.purge", { session, dry_run: true });
  expect(dry.entries).toBe(before.last_seq);
  const purged = await user.call<PurgeReply>("agent.session.purge", { session, command_id: "p" });
  expect(purged).toMatchObject({ session, entries: before.last_seq + 1, command_id: "p" });
  const left = await user.log(session);
  expect(left.map(({ kind }) => kind)).toEqual(["reply"]);
  expect(await user.call("agent.session.purge", { session, command_id: "p" })).toEqual(purged);
  expect(await user.call<VerifyReply>("agent.log.verify", {})).toMatchObject({ ok: true, problems: [] });
});

test("a live session is not purged", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  const session = await user.start({ agent: "mine", cwd: place.directory() });
  await user.wait(session, "idle");
  expect((await user.refusal("agent.session.purge", { session })).code).toBe("SESSION_STATE");
  expect((await user.refusal("agent.session.purge", { session: "instance" })).code).toBe("SESSION_UNKNOWN");
});

test("a prune purges every ended session that was last touched before a time, and is logged in the instance", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  const old = await ended(user, place.directory());
  const before = new Date(Date.parse((await user.get(old)).updated_at) + 1).toISOString();
  await new Promise<void>((resolve) => {
    const later = (): void => {
      if (Date.now() > Date.parse(before)) resolve();
      else setImmediate(later);
    };
    later();
  });
  const recent = await ended(user, place.directory());
  const pruned = await user.call<PruneReply>("agent.log.prune", { before });
  expect(pruned).toMatchObject({ session: "instance", sessions: [old] });
  expect((await user.log(recent)).length).toBeGreaterThan(5);
  expect((await user.log("instance")).map(({ kind }) => kind)).toEqual(["command", "reply"]);
  expect(await user.call<VerifyReply>("agent.log.verify", {})).toMatchObject({ ok: true });
});

test("a secret that an agent printed over two chunks is taken out, and is nowhere in the files afterwards (case 146)", async () => {
  const secret = "sk-canary-0123456789abcdef";
  using agent = scriptedAgent({
    rules: [
      {
        on: "session/prompt",
        do: [
          chunk(`the key is ${secret.slice(0, 10)}`),
          { waitForFile: "/dev/null" },
          chunk(`${secret.slice(10)}.`),
          "default",
        ],
      },
    ],
  });
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  const session = await ended(user, place.directory());
  const known = { sha256: createHash("sha256").update(secret).digest("hex"), length: secret.length };
  const redacted = await user.call<RedactReply>("agent.log.redact", known);
  expect(redacted.entries).toBeGreaterThan(0);
  const text = (await user.log(session, ["message"])).map((entry) => JSON.stringify(entry)).join("");
  expect(text).toContain("[redacted]");
  expect(text).not.toContain(secret.slice(10));
  for (const name of readdirSync(place.stateDirectory)) {
    if (name.startsWith("log.db"))
      expect(readFileSync(join(place.stateDirectory, name)).includes(secret.slice(10))).toBe(false);
  }
  const verified = await user.call<VerifyReply>("agent.log.verify", {});
  expect(verified).toMatchObject({ ok: true });
  expect(verified.redacted_commits).toBeGreaterThan(0);
});

test("stats say what the log takes", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  const session = await ended(user, place.directory());
  const stats = await user.call<StatsReply>("agent.log.stats", {});
  expect(stats).toMatchObject({ sessions: 1, ended: 1, purged: 0 });
  expect(stats.fullest[0]?.session).toBe(session);
  expect(stats.used_bytes).toBeGreaterThan(0);
});
