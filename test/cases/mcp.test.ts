// SPDX-License-Identifier: MIT OR Apache-2.0
// The MCP server that a session's agent is given: an agent that ignores it is told of, and it ends with its session.
import { expect, test } from "vitest";
import type { BusClient } from "../../bus-client/index.ts";
import type { Scenario } from "../scripted-agent/scenario.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { handedServer, startHandedServer } from "../harness/handed-server.ts";
import { type EntryOf, ofKind, openScene, turnEnd } from "./scene.ts";

/** It can come back to its session, and starts no server by itself. */
const deaf: Scenario = {
  initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
  rules: [{ on: "session/resume", do: [{ reply: {} }] }],
};
const on = { settings: "bus_tools = true", limits: { busToolsGraceMs: 200 } };

const notSeen = (entry: { kind: string; what?: unknown }): boolean =>
  entry.kind === "diagnostic" && entry.what === "bus-tools-not-seen";

async function diagnostics(user: BusUser, session: string): Promise<number> {
  return ofKind(await user.log(session, ["diagnostic"]), "diagnostic").filter(notSeen).length;
}

async function serversOf(client: BusClient, session: string): Promise<string[]> {
  const { body } = await client.call("noded", "noded.list");
  const names = (JSON.parse(body) as { name: string }[]).map(({ name }) => name);
  return names.filter((name) => name.startsWith(`mcp-s-${session}-`));
}

test("an agent that does not start the server of its session is told of once in each life, when its first turn has ended (case 148)", async () => {
  await using scene = await openScene({ scripted: deaf }, on);
  const { user } = scene;
  const session = await scene.idle();
  expect(handedServer(scene.agent())).toMatchObject({ name: "mixos", command: process.execPath });
  expect(await diagnostics(user, session)).toBe(0);
  await user.prompt(session, "one");
  const told = await user.entry<EntryOf<"diagnostic">>(session, notSeen);
  expect(told.seq).toBeGreaterThan((await turnEnd(user, session)).seq);
  await user.prompt(session, "two");
  await turnEnd(user, session, 2);
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  expect(handedServer(scene.agent(), 2)).toEqual(handedServer(scene.agent(), 1));
  await user.prompt(session, "three");
  await user.entry(session, (entry) => notSeen(entry) && entry.seq > told.seq);
  expect(await diagnostics(user, session)).toBe(2);
});

test("an agent that starts the server is not told of, and neither is one that was to have none (case 148)", async () => {
  await using scene = await openScene({ scripted: deaf, other: {} }, on);
  const { user } = scene;
  const session = await scene.idle();
  const { tool } = await startHandedServer(handedServer(scene.agent()));
  expect((await tool("bus_services")).isError).toBe(false);
  await user.prompt(session, "one");
  await turnEnd(user, session);
  // By the time that another is told of, this one would have been.
  const other = await scene.idle({ agent: "other", prompt: "one" });
  await user.entry(other, notSeen);
  expect(await diagnostics(user, session)).toBe(0);

  scene.place.configure("");
  await using without = await openScene({ scripted: {} });
  const quiet = await without.idle({ prompt: "one" });
  expect(() => handedServer(without.agent())).toThrow("no server of that name");
  expect(await diagnostics(without.user, quiet)).toBe(0);
});

test("the server of a session ends with it, whether it is closed or its agent killed, and comes back with it (case 149)", async () => {
  await using scene = await openScene({}, on);
  const { user } = scene;
  // The demo agent starts what it is given.
  const [closed, killed] = [await scene.idle({ agent: "demo" }), await scene.idle({ agent: "demo" })];
  for (const session of [closed, killed]) while ((await serversOf(user.client, session)).length !== 1);
  await user.call("agent.session.close", { session: closed });
  while ((await serversOf(user.client, closed)).length > 0);
  expect(await serversOf(user.client, killed)).toHaveLength(1);
  const pid = ofKind(await user.log(killed, ["state"]), "state").find((entry) => entry.process)?.process?.pid ?? 0;
  process.kill(pid, "SIGKILL");
  await user.wait(killed, "ended");
  while ((await serversOf(user.client, killed)).length > 0);
  // Its server has left the Bus before its agent is gone.
  await user.wait(closed, "ended");
  await user.call("agent.session.resume", { session: closed, fresh: true });
  while ((await serversOf(user.client, closed)).length !== 1);
});

test("the name of an ended session gives nobody a right, and the server of one session none over another (case 149)", async () => {
  await using scene = await openScene({ scripted: {} }, on);
  const { user } = scene;
  const [session, other] = [await scene.idle(), await scene.idle()];
  const { refusal } = await startHandedServer(handedServer(scene.agent()));
  const close = (of: string) => ({ service: "agent", command: "agent.session.close", args: { session: of } });
  expect(await refusal("bus_call", close(session))).toMatchObject({ error_code: "AGENT_SELF" });
  expect(await serversOf(user.client, session)).toHaveLength(1);
  expect(await serversOf(user.client, other)).toEqual([]);
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  const late = await scene.somebody(`mcp-s-${session}-aaaa`);
  expect((await late.refusal("agent.log.prune", { before: "2020-01-01T00:00:00Z" })).code).toBe("AGENT_SELF");
  expect((await late.refusal("agent.session.resume", { session })).code).toBe("AGENT_SELF");
  expect(await refusal("bus_call", close(other))).toMatchObject({ error_code: "AGENT_SELF" });
});

test("no other server may bear its name", async () => {
  await using scene = await openScene({ scripted: {} }, on);
  const refused = await scene.user.refusal("agent.session.start", {
    agent: "scripted",
    cwd: scene.place.directory(),
    mcp_servers: [{ name: "mixos", command: "/bin/true", args: [], env: [] }],
  });
  expect(refused.body).toMatchObject({ error_code: "ARGUMENT", field: "mcp_servers" });
});
