// SPDX-License-Identifier: MIT OR Apache-2.0
// What a probe says of agents that do as they should, and of agents that do not. None of them makes the probe fail.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { ProbeCell, ProbeReply, ProbeStep } from "../agentd/vocabulary/index.ts";
import { leftIn } from "./cases/living.ts";
import { openScene, type Scene, type SceneOptions, type Script } from "./cases/scene.ts";
import type { AgentCommand } from "../agentd/demo-agent/testing/demo-agent-command.ts";
import type { Rule, Scenario } from "./scripted-agent/scenario.ts";

const short = { initializeTimeoutMs: 1_000, openTimeoutMs: 1_000, probeTurnMs: 1_000, cancelForceMs: 1_000 };

async function probing(script: Script, options: SceneOptions = {}): Promise<Scene> {
  return await openScene({ scripted: script }, { ...options, limits: { ...short, ...options.limits } });
}

async function probe({ user }: Scene, args: { readonly agent?: string; readonly depth?: "full" } = {}) {
  const reply = await user.call<ProbeReply & { seq: number }>("agent.probe", { agent: "scripted", ...args });
  const cells = Object.fromEntries(reply.cells.map((cell) => [cell.step, cell])) as Record<ProbeStep, ProbeCell>;
  return { ...reply, cells };
}

/** Nothing of the probe is left: no process, no record of one, no directory. */
async function expectNothingLeft({ place }: Scene): Promise<void> {
  expect(await leftIn(place)).toEqual([]);
  const workspaces = join(place.stateDirectory, "workspaces");
  expect(existsSync(workspaces) ? readdirSync(workspaces) : []).toEqual([]);
}

const restorable = { agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, close: {} } } };
const restoring: Rule[] = ["session/load", "session/resume"].map((on) => ({ on, do: [{ reply: {} }] }));
const turns: Rule[] = [
  {
    on: "session/prompt",
    match: "write probe.txt",
    do: [{ permission: { toolCall: { toolCallId: "1", title: "Write" } } }, { reply: { stopReason: "end_turn" } }],
  },
  { on: "session/prompt", match: "slow", do: [{ text: "one" }] },
];

test("initialize alone starts the agent, says what it reported, and is an entry of the instance's log", async () => {
  const initialize = { ...restorable, authMethods: [{ id: "key", name: "API key" }] };
  await using scene = await probing({ initialize });
  const reply = await probe(scene);
  expect(reply).toMatchObject({
    agent: "scripted",
    depth: "initialize",
    agent_info: { name: "scripted", version: "1.0.0" },
    protocol_version: 1,
    auth_methods: ["key"],
    capabilities: { load: true, resume: true, list: false },
  });
  expect(Object.keys(reply.cells)).toEqual(["initialize", "memory", "stop"]);
  expect(reply.cells.initialize).toMatchObject({ result: "ok", ms: expect.any(Number) });
  expect(reply.cells.memory.bytes).toBeGreaterThan(10_000_000);
  expect(reply.cells.memory.processes).toBe(1);
  expect(reply.cells.stop).toMatchObject({ result: "ok", processes: 0, text: "exit code 0" });
  expect(
    scene
      .agent()
      .received()
      .map(({ method }) => method),
  ).toEqual(["initialize"]);
  const entries = await scene.user.log("instance", ["command", "reply"]);
  expect(entries).toMatchObject([
    { kind: "command", verb: "agent.probe", args: { agent: "scripted", depth: "initialize" } },
    { kind: "reply", rc: 0 },
  ]);
  await expectNothingLeft(scene);
});

test("a long word of the agent is shortened, as the result has to reach the Bus", async () => {
  const long = { stopReason: { $fill: 9_000_000 } };
  await using scene = await probing({ rules: [{ on: "session/prompt", do: [{ reply: long }] }] });
  const { cells } = await probe(scene, { depth: "full" });
  expect(cells.prompt).toMatchObject({ result: "ok", text: "x".repeat(2_000) });
});

test("a full probe measures a session, a turn, a no, a cancel, loads twice and resumes", async () => {
  await using scene = await probing({ initialize: restorable, rules: [...turns, ...restoring] });
  const { cells } = await probe(scene, { depth: "full" });
  expect(Object.values(cells).map(({ step, result }) => [step, result])).toEqual([
    ["initialize", "ok"],
    ["memory", "ok"],
    ["new_session", "ok"],
    ["prompt", "ok"],
    ["permission", "ok"],
    ["cancel", "ok"],
    ["bus_tools", "skipped"],
    ["memory_after_turns", "ok"],
    ["stop", "ok"],
    ["load", "ok"],
    ["load_again", "ok"],
    ["resume", "ok"],
  ]);
  expect(cells.permission.text).toBe("asked (allow_once, reject_once); after the no: end_turn");
  const answers = scene
    .agent()
    .received()
    .filter(({ result }) => result !== undefined);
  expect(JSON.stringify(answers)).toContain("reject");
  expect(JSON.stringify(answers)).not.toContain("allow");
  await expectNothingLeft(scene);
});

test("the demo agent passes, and is seen to start its MCP server", { tags: "slow" }, async () => {
  await using scene = await openScene({}, { settings: "bus_tools = true" });
  const { cells } = await probe(scene, { agent: "demo", depth: "full" });
  expect(Object.values(cells).filter(({ result }) => result === "failed")).toEqual([]);
  expect(cells.bus_tools).toMatchObject({ result: "ok", text: "connected" });
  expect(cells.resume.result).toBe("ok");
  const kept = join(scene.place.stateDirectory, "demo-sessions");
  expect(existsSync(kept) ? readdirSync(kept) : []).toEqual([]);
  await expectNothingLeft(scene);
});

test.for<[string, Rule[], Partial<Record<ProbeStep, string>>]>([
  ["never answers initialize", [{ on: "initialize", do: [] }], { initialize: "did not answer initialize" }],
  ["never answers session/new", [{ on: "session/new", do: [] }], { new_session: "did not answer session/new" }],
  ["never ends a turn", [{ on: "session/prompt", do: [] }], { prompt: "no answer to session/prompt within" }],
  [
    "speaks another version",
    [{ on: "initialize", do: [{ reply: { protocolVersion: 7 } }] }],
    { initialize: "protocol version 7" },
  ],
  ["exits at once", [{ on: "start", do: [{ exit: 3 }] }], { initialize: "AGENT_EXITED" }],
  ["exits in a turn", [{ on: "session/prompt", match: "ready", do: [{ exit: 3 }] }], { prompt: "AGENT_EXITED" }],
  ["does not heed a cancel", [{ on: "session/cancel", do: [] }, ...turns], { cancel: "no answer" }],
])("an agent that %s has a cell that says so, and later ones are skipped", async ([, rules, faults]) => {
  await using scene = await probing({ initialize: restorable, rules: [...rules, ...restoring] });
  const { cells } = await probe(scene, { depth: "full" });
  for (const [step, text] of Object.entries(faults)) {
    expect(cells[step as ProbeStep]).toMatchObject({ result: "failed", text: expect.stringContaining(text) });
  }
  const failed = Object.values(cells).filter(({ result }) => result === "failed");
  expect(failed.map(({ step }) => step)).toEqual(Object.keys(faults));
  await expectNothingLeft(scene);
});

test("an agent that crashes at its second load has that one cell", async () => {
  const crashing = { initialize: restorable, rules: [{ on: "session/load", do: [{ exit: 1 }] }] };
  const script = (directory: string): Scenario => ({
    initialize: restorable,
    rules: [
      ...turns,
      { on: "session/load", do: [{ writeFile: join(directory, "loaded") }, { reply: {} }] },
      ...restoring,
    ],
  });
  // The process after the first load is another agent, which exits at a load.
  const wrap = ([node, program = "", file = ""]: AgentCommand): string[] => {
    const [loaded, crashed] = ["loaded", "crashed"].map((name) => `"${join(dirname(file), name)}"`);
    const other = `: > ${crashed}; exec "${node}" "${program}" '${JSON.stringify(crashing)}'`;
    return [
      "/bin/sh",
      "-c",
      `if [ -e ${loaded} -a ! -e ${crashed} ]; then ${other}; fi; exec "${node}" "${program}" "${file}"`,
    ];
  };
  await using scene = await probing(script, { wrap });
  const { cells } = await probe(scene, { depth: "full" });
  expect([cells.load.result, cells.load_again.result, cells.resume.result]).toEqual(["ok", "failed", "ok"]);
  expect(cells.load_again.text).toContain("AGENT_EXITED");
});

test("processes that an agent leaves behind are counted and ended", async () => {
  await using scene = await probing({ rules: [{ on: "eof", do: [{ spawn: "orphan_session" }, { exit: 0 }] }] });
  const { cells } = await probe(scene);
  expect(cells.stop).toMatchObject({ processes: 1, text: expect.stringContaining("were killed: 1") });
  await expectNothingLeft(scene);
});

test("a probe is not run again by its command id, and an agent that is not there is refused", async () => {
  await using scene = await probing({});
  const args = { agent: "scripted", command_id: "once" };
  const first = await scene.user.call("agent.probe", args);
  expect(await scene.user.call("agent.probe", args)).toEqual(first);
  expect(scene.agent().received()).toHaveLength(1);
  expect(await scene.user.refusal("agent.probe", { agent: "nobody" })).toMatchObject({ code: "AGENT_UNKNOWN" });
});

test("a probe counts towards max_sessions, and stopping agentd ends it", async () => {
  const rules: Rule[] = [{ on: "initialize", nth: 1, do: [] }];
  await using scene = await probing(
    { rules },
    { settings: "max_sessions = 1", limits: { initializeTimeoutMs: 60_000 } },
  );
  const running = scene.user.call("agent.probe", { agent: "scripted" });
  running.catch(() => {});
  await expect.poll(() => scene.agent().received().length).toBe(1);
  const start = { agent: "scripted", cwd: scene.place.directory() };
  expect((await scene.user.refusal("agent.session.start", start)).code).toBe("AGENT_LIMIT");
  expect((await scene.user.refusal("agent.probe", { agent: "scripted" })).code).toBe("AGENT_LIMIT");
  await scene.daemon.daemon.stop("the test is over");
  await expectNothingLeft(scene);
});
