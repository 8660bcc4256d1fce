// SPDX-License-Identifier: MIT OR Apache-2.0
// A person starts an agent that the catalogue does not have, by its command.
import { join } from "node:path";
import { expect, test } from "vitest";
import { scriptedAgent } from "./scripted-agent/agent-files.ts";
import { BusUser } from "./harness/bus-user.ts";
import { startDaemonHere } from "./harness/daemon-here.ts";
import { farNode, openMeshNode } from "./harness/mesh-node.ts";
import { makePlace } from "./harness/place.ts";

const resumable = {
  initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
  rules: [{ on: "session/resume", do: [{ reply: {} }] }],
};

test("an agent is started by its command, which the log keeps, and by which the next agentd resumes it", async () => {
  using agent = scriptedAgent(resumable);
  using place = makePlace();
  const command = [...agent.command] as [string, ...string[]];
  let session: string;
  {
    await using daemon = await startDaemonHere(place);
    const user = new BusUser(await daemon.connect());
    session = await user.start({ agent: "mine", command, cwd: place.directory(), prompt: "go" });
    await user.wait(session, "idle");
    const [started, state] = await user.log(session, ["command", "state"]);
    expect(started).toMatchObject({ verb: "agent.session.start", args: { agent: "mine", command } });
    expect(state).toMatchObject({ state: "starting", agent: "mine", command });
    expect(await user.get(session)).toMatchObject({ agent: "mine", command });
    await user.call("agent.session.close", { session });
    await user.wait(session, "ended");
  }
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  expect(await user.get(session)).toMatchObject({ state: "idle", command });
  expect(agent.received().filter(({ method }) => method === "session/resume")).toHaveLength(1);
});

test("a program that cannot be started, and one whose place depends on a directory, are refused", async () => {
  using place = makePlace();
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  const start = { agent: "mine", cwd: place.directory() };
  const refused = async (...command: string[]) =>
    (await user.refusal("agent.session.start", { ...start, command: command as [string] })).body;
  const missing = join(place.home, "no-agent");
  expect(await refused(missing)).toMatchObject({
    error_code: "AGENT_UNAVAILABLE",
    message: `${missing} does not exist`,
  });
  expect(await refused("no-agent-of-that-name")).toMatchObject({ error_code: "AGENT_UNAVAILABLE" });
  for (const command of [
    ["./mine"],
    ["../mine"],
    [""],
    [],
    ["/bin/sh", "a\0b"],
    ["/bin/sh", ...Array<string>(256).fill("x")],
  ])
    expect({ command, ...(await refused(...command)) }).toMatchObject({ command, error_code: "ARGUMENT" });
  // The catalogue's own agent has a directory made for it; a program of that name has not.
  const nowhere = { agent: "demo", command: ["/bin/true"] as [string] };
  expect(await user.refusal("agent.session.start", nowhere)).toMatchObject({ body: { field: "cwd" } });
});

test("nobody but a person may give a command", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command }, 'mesh = "answer"\nagents_act = "any"');
  await using _node = await openMeshNode(place);
  await using daemon = await startDaemonHere(place);
  const user = new BusUser(await daemon.connect());
  const cwd = place.directory();
  const session = await user.start({ agent: "mine", cwd });
  await user.wait(session, "idle");
  const start = { agent: "x", command: [...agent.command] as [string, ...string[]], cwd };
  for (const [name, code] of [
    [`mcp-s-${session}-aaaa`, "AGENT_SELF"],
    ["mcp-aaaaaa", "AGENT_SELF"],
    [null, "UNSUPPORTED"],
    [farNode, "UNSUPPORTED"],
  ] as const) {
    const other = new BusUser(await daemon.connect(name));
    const refused = await other.refusal("agent.session.start", start);
    expect({ name, ...refused.body }).toMatchObject({ name, error_code: code, field: "command" });
  }
  expect(await user.call("agent.status", {})).toMatchObject({ sessions: { live: 1 } });
});
