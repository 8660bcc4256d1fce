// SPDX-License-Identifier: MIT OR Apache-2.0
// A session gets another name, which is found, listed and kept, and which nobody else's session has.
import { expect, test } from "vitest";
import type { SessionSummary } from "../agentd/vocabulary/index.ts";
import { scriptedAgent } from "./scripted-agent/agent-files.ts";
import { BusUser } from "./harness/bus-user.ts";
import { type DaemonHere, startDaemonHere } from "./harness/daemon-here.ts";
import { makePlace } from "./harness/place.ts";

const resumable = {
  initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
  rules: [{ on: "session/resume", do: [{ reply: {} }] }],
};

async function idle(user: BusUser, args: Parameters<BusUser["start"]>[0]): Promise<string> {
  const session = await user.start(args);
  await user.wait(session, "idle");
  return session;
}

async function names(user: BusUser): Promise<Readonly<Record<string, string | undefined>>> {
  const { sessions } = await user.call<{ sessions: SessionSummary[] }>("agent.session.list", {});
  return Object.fromEntries(sessions.map(({ session, name }) => [session, name]));
}

const watching = async (daemon: DaemonHere) => await BusUser.watching(await daemon.connect());

test("a new name is published, listed, found and kept; the old one leads nowhere", async () => {
  using agent = scriptedAgent(resumable);
  using place = makePlace({ mine: agent.command });
  let session: string;
  {
    await using daemon = await startDaemonHere(place);
    const user = await watching(daemon);
    session = await idle(user, { agent: "mine", cwd: place.directory(), name: "old" });
    const reply = await user.call("agent.session.rename", { session: "old", name: "new", command_id: "r" });
    expect(reply).toMatchObject({ session, command_id: "r", name: "new" });
    await user.entry(session, (entry) => entry.kind === "info" && entry.name === "new");
    expect(await names(user)).toEqual({ [session]: "new" });
    expect(await user.call("agent.session.get", { session: "new" })).toMatchObject({ session, name: "new" });
    expect(await user.refusal("agent.session.get", { session: "old" })).toMatchObject({
      code: "SESSION_UNKNOWN",
      body: { message: 'no session "old"' },
    });
    expect(await user.call("agent.session.rename", { session, name: "new", command_id: "r" })).toEqual(reply);
    await user.call("agent.session.close", { session });
    await user.wait(session, "ended");
  }
  await using daemon = await startDaemonHere(place);
  const user = await watching(daemon);
  await user.call("agent.session.resume", { session: "new" });
  await user.wait(session, "idle");
  expect(await names(user)).toEqual({ [session]: "new" });
  await user.call("agent.session.rename", { session, name: "" });
  expect(await names(user)).toEqual({ [session]: undefined });
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  // The next run does not bring the name back.
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  expect(await names(user)).toEqual({ [session]: undefined });
  expect(await user.call("agent.log.verify", {})).toMatchObject({ ok: true });
});

test("a name that a live session has is refused, and so is one that cannot be a session's", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const user = await watching(daemon);
  const [one, two] = [
    await idle(user, { agent: "mine", cwd: place.directory(), name: "one" }),
    await idle(user, { agent: "mine", cwd: place.directory() }),
  ];
  for (const name of ["one", one, "instance", "-x", "a b", "../x"]) {
    expect({ name, ...(await user.refusal("agent.session.rename", { session: two, name })).body }).toMatchObject({
      name,
      error_code: "ARGUMENT",
    });
  }
  // Its own name is free for itself, and that of an ended session for everybody.
  expect(await user.call("agent.session.rename", { session: one, name: "one" })).toMatchObject({ name: "one" });
  await user.call("agent.session.close", { session: one });
  await user.wait(one, "ended");
  await user.call("agent.session.rename", { session: two, name: "one" });
  expect(await user.call("agent.session.get", { session: "one" })).toMatchObject({ session: two });
});

test("of two renames to one name at once, one is refused", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const user = await watching(daemon);
  const sessions = [
    await idle(user, { agent: "mine", cwd: place.directory() }),
    await idle(user, { agent: "mine", cwd: place.directory() }),
  ];
  const renamed = await Promise.allSettled(
    sessions.map((session) => user.call("agent.session.rename", { session, name: "mine" })),
  );
  expect(renamed.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("an agent renames what it started, to no name that leads to another session", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const user = await watching(daemon);
  const cwd = place.directory();
  const session = await idle(user, { agent: "mine", cwd });
  const stranger = await idle(user, { agent: "mine", cwd, name: "stranger" });
  const its = new BusUser(await daemon.connect(`mcp-s-${session}-aaaa`));
  const child = await idle(its, { agent: "mine", cwd });
  for (const [of, name] of [
    [session, "mine"],
    [stranger, "mine"],
    [child, "stranger"],
    [child, stranger.slice(0, 8)],
  ] as const) {
    const refused = await its.refusal("agent.session.rename", { session: of, name });
    expect({ of, name, code: refused.code }).toEqual({ of, name, code: "AGENT_SELF" });
  }
  await its.call("agent.session.rename", { session: child, name: "helper", command_id: "h" });
  await its.call("agent.session.rename", { session: child, name: "helper", command_id: "h" });
  expect(await names(user)).toMatchObject({ [child]: "helper", [stranger]: "stranger" });
});
