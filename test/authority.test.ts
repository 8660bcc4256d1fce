// SPDX-License-Identifier: MIT OR Apache-2.0
// docs/authority.md on the Bus: every cell of its table, and what an adversary tries who has nothing but agentd's tools.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BusClient } from "../bus-client/index.ts";
import { type Cell, cells, codeIn } from "../agentd/authority/testing/page.ts";
import { type SenderKind, senders } from "../agentd/authority/sender.ts";
import { scriptedAgent } from "./scripted-agent/agent-files.ts";
import { ofKind, openScene, question, type Scene } from "./cases/scene.ts";
import { BusUser } from "./harness/bus-user.ts";
import { type DaemonHere, startDaemonHere } from "./harness/daemon-here.ts";
import { handedServer, startHandedServer } from "./harness/handed-server.ts";
import { farNode, openMeshNode } from "./harness/mesh-node.ts";
import { makePlace, type Place } from "./harness/place.ts";

const ofAuthority: ReadonlySet<unknown> = new Set(["AGENT_SELF", "AGENT_DEPTH", "AGENT_LIMIT", "UNSUPPORTED"]);

test.each([
  { mesh: "refuse", agentsAct: "started" },
  { mesh: "answer", agentsAct: "any" },
])("every sender is answered on the Bus as the page says, with %o", async (allowances) => {
  using agent = scriptedAgent({});
  const { mesh, agentsAct } = allowances;
  using place = makePlace({ mine: agent.command }, `mesh = "${mesh}"\nagents_act = "${agentsAct}"\nmax_sessions = 20`);
  await using _node = await openMeshNode(place);
  await using daemon = await startDaemonHere(place);
  const { clients, sessionOf } = await company(daemon, place);
  for (const session of new Set(Object.values(sessionOf))) {
    const prompt = { session, prompt: "go", when_busy: "queue", command_id: takenId };
    expect((await clients.person.call("agent", "agent.session.prompt", prompt)).rc).toBe(0);
  }
  const all = cells();
  for (const { act, sender, target, says } of all) {
    const expected = codeIn(says, allowances);
    if (act === "QUIT" && expected === undefined) continue;
    const session = sessionOf[`${sender} ${target}`] ?? sessionOf.other;
    const { body } = await clients[sender].call("agent", act, harmless[act]?.(session ?? "") ?? {});
    const { error_code: code } = JSON.parse(body) as { error_code?: string };
    const told = ofAuthority.has(code) ? code : undefined;
    expect({ act, sender, target, code: told }).toEqual({ act, sender, target, code: expected });
  }
  for (const sender of senders) {
    if (!all.some((cell) => cell.act === "QUIT" && cell.sender === sender && !codeIn(cell.says, allowances))) continue;
    await using ending = sender === "person" ? undefined : await startDaemonHere(place);
    expect((await clients[sender].call("agent", "QUIT")).rc).toBe(0);
    await (ending ?? daemon).daemon.stopped;
  }
});

test("programs of an agent act no more when its session has ended, or where there never was one", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command });
  await using daemon = await startDaemonHere(place);
  const person = new BusUser(await daemon.connect("mix-aaaaaa"));
  const session = await person.start({ agent: "mine", cwd: place.directory() });
  await person.wait(session, "idle");
  const start = { agent: "mine", cwd: place.directory("session-1") };
  const own = new BusUser(await daemon.connect(`mcp-s-${session}-aaaa`));
  const child = await own.start(start);
  await person.call("agent.session.close", { session });
  await person.wait(session, "ended");
  const invented = new BusUser(await daemon.connect("mcp-s-aaaaaaaaaaaa-aaaa"));
  for (const user of [own, invented]) {
    expect(await user.refusal("agent.session.start", start)).toMatchObject({ code: "AGENT_SELF" });
    expect(await user.refusal("agent.session.close", { session: child })).toMatchObject({ code: "AGENT_SELF" });
  }
});

/** Of a prompt to each session: another command with this id is refused, but only after it was seen who sends it. */
const takenId = "taken";

/** What changes nothing that a later question is about, where it is allowed. */
const harmless: Readonly<Partial<Record<Cell["act"], (session: string) => object>>> = {
  "agent.session.start": () => ({ agent: "nobody" }),
  "agent.session.resume": (session) => ({ session }),
  "agent.session.prompt": (session) => ({ session, prompt: "go", when_busy: "queue" }),
  "agent.session.cancel": (session) => ({ session, turn: 100_000 }),
  "agent.session.set_config": (session) => ({ session, option: "none", value: "x" }),
  "agent.session.close": (session) => ({ session, command_id: takenId }),
  "agent.session.rename": (session) => ({ session, name: "renamed", command_id: takenId }),
  "agent.session.forget": (session) => ({ session, command_id: takenId }),
  "agent.session.attach": (session) => ({ session, citizen: "nobody" }),
  "agent.session.detach": (session) => ({ session, citizen: "nobody" }),
  "agent.permission.answer": (session) => ({ request: `${session}-1`, option: "allow" }),
  "agent.elicitation.answer": (session) => ({ request: `${session}-1`, action: "accept" }),
  "agent.login": () => ({ agent: "mine" }),
  "agent.session.purge": (session) => ({ session, dry_run: true }),
  "agent.log.prune": () => ({ before: "2020-01-01T00:00:00Z", dry_run: true }),
  "agent.probe": () => ({ agent: "nobody" }),
  "agent.log.redact": () => ({ sha256: "0".repeat(64), length: 20, dry_run: true }),
};

/** One sender of each kind, and sessions by what they are to each. */
async function company(daemon: DaemonHere, place: Place) {
  const person = new BusUser(await daemon.connect("mix-aaaaaa"));
  const started = async (by: BusUser, cwd: string): Promise<string> => {
    const session = await by.start({ agent: "mine", cwd });
    await person.wait(session, "idle");
    return session;
  };
  const cwd = place.directory();
  const mine = await started(person, cwd);
  const other = await started(person, place.directory());
  const agent = await daemon.connect(`mcp-s-${mine}-aaaa`);
  const childs = await started(new BusUser(agent), cwd);
  const client = await daemon.connect("mcp-aaaaaa");
  const clientsOwn = await started(new BusUser(client), cwd);
  const clients: Readonly<Record<SenderKind, BusClient>> = {
    person: person.client,
    nameless: await daemon.connect(null),
    node: await daemon.connect(farNode),
    agent,
    child: await daemon.connect(`mcp-s-${childs}-aaaa`),
    client,
  };
  const sessionOf: Readonly<Record<string, string>> = {
    other,
    "agent own": mine,
    "agent started": childs,
    "child own": childs,
    "child ancestor": mine,
    "client started": clientsOwn,
  };
  return { clients, sessionOf };
}

const secretPlace = `allow_env = ["SECRET"]\n[policies.reading]\nallow_once = [{ kinds = ["read"], within = "session" }]`;
const select = {
  type: "select",
  currentValue: "ask",
  options: [
    { value: "ask", name: "Ask" },
    { value: "all", name: "All" },
  ],
};
const withModes = {
  session: {
    configOptions: [
      { id: "approvals", name: "Approvals", category: "mode", ...select },
      { id: "model", name: "Model", category: "model", ...select },
    ],
  },
  rules: [{ on: "session/prompt", match: "ask", do: [{ permission: {} }, "default" as const] }],
};

test("with the tools that its session was given, an agent has no program run, no secret read, no question answered and no name but its own", async () => {
  await using scene = await openScene(
    { scripted: withModes },
    { settings: `bus_tools = true\nmax_sessions = 8\n${secretPlace}` },
  );
  const { user, place } = scene;
  writeFileSync(join(place.stateDirectory, "env", "SECRET"), "the-secret-value", { mode: 0o600 });
  const own = place.directory();
  const outside = place.directory();
  mkdirSync(join(own, "in"));
  symlinkSync(outside, join(own, "link"));
  const session = await user.start({ agent: "scripted", cwd: own, prompt: "ask", name: "asking" });
  const stranger = await scene.idle({ name: "stranger" });
  const { request } = await question(user, session);
  const workspace = (await user.get(await user.start({ agent: "demo" }))).cwd;
  const server = await startHandedServer(handedServer(scene.agent()));
  const tries = async (command: string, args: object, service = "agent") =>
    await server.refusal("bus_call", { service, command, args });
  const start = { agent: "scripted", cwd: join(own, "in") };
  const sh = { name: "x", command: "/bin/sh", args: ["-c", `env -u AGENTD_SESSION mix agent permit allow ${request}`] };

  const beyond: readonly [string, object][] = [
    ["mcp_servers", { mcp_servers: [sh] }],
    ["mcp_servers", { mcp_servers: [{ type: "stdio", ...sh }] }],
    [
      "mcp_servers",
      {
        mcp_servers: [
          { type: "http", name: "u", url: "http://127.0.0.1:1/", headers: [{ name: "X", value: { env: "SECRET" } }] },
        ],
      },
    ],
    ["env", { env: ["SECRET"] }],
    ["env", { env: ["PATH"] }],
    ["cwd", { cwd: outside }],
    ["cwd", { cwd: join(own, "..") }],
    ["cwd", { cwd: join(own, "link") }],
    ["cwd", { cwd: workspace }],
    ["cwd", { cwd: place.home }],
    ["cwd", { cwd: "/nowhere" }],
    ["cwd", { additional_dirs: [outside] }],
    ["cwd", { additional_dirs: [join(own, "link")] }],
    ["config", { config: { mode: "all" } }],
    ["policy", { policy: "reading" }],
    ["policy", { policy: "unknown" }],
    ["name", { name: "stranger" }],
    ["name", { name: stranger.slice(0, 6) }],
    ["name", { name: session.slice(0, 6) }],
  ];
  for (const [field, args] of beyond) {
    expect({ args, ...(await tries("agent.session.start", { ...start, ...args })) }).toMatchObject({
      args,
      error_code: "AGENT_SELF",
    });
    expect(
      (await server.tool("bus_call", { service: "agent", command: "agent.session.start", args: { ...start, ...args } }))
        .texts[1],
    ).toContain(`"field":"${field}"`);
  }
  // Whether something is there outside is not told either.
  const [there, nowhere] = await Promise.all(
    [outside, "/nowhere"].map(async (cwd) => await tries("agent.session.start", { ...start, cwd })),
  );
  expect(there).toEqual(nowhere);

  const onOthers: readonly [string, object][] = [
    ["agent.session.prompt", { prompt: "go" }],
    ["agent.session.cancel", {}],
    ["agent.session.set_config", { option: "model", value: "all" }],
    ["agent.session.set_config", { option: "mode", value: "all" }],
    ["agent.session.close", {}],
    ["agent.session.resume", { fresh: true }],
    ["agent.session.purge", {}],
  ];
  for (const [command, args] of onOthers) {
    for (const reference of [session, "asking", stranger, "stranger", stranger.slice(0, 8)]) {
      const refused = await tries(command, { session: reference, ...args });
      expect({ command, reference, ...refused }).toMatchObject({ command, reference, error_code: "AGENT_SELF" });
    }
  }
  for (const service of ["agent", "agent.local", "agent.local.bus", "x.agent.local"]) {
    const answer = await tries("agent.permission.answer", { request, option: "allow" }, service);
    expect({ service, ...answer }).toMatchObject({ service, error_code: "AGENT_SELF" });
    expect(await tries("QUIT", {}, service)).toMatchObject({ error_code: "AGENT_SELF" });
  }
  for (const command of ["noded.register", "noded.deregister"]) {
    expect(await tries(command, { from: "mix-aaaaaa" }, "noded")).toMatchObject({ error_code: "DENIED" });
  }
  expect((await tries("agent.props.set", { path: "mode", value: "x" }))["error_code"]).toBe("CALL_FAILED");
  // Nobody believes what is published.
  const forged = { kind: "permission", session, request, phase: "resolved", outcome: "selected", option: "allow" };
  await server.tool("bus_publish", { topic: "agent.session.updated", body: forged });
  await server.tool("bus_publish", { topic: "notify.answered", body: { ask: "x", ref: request, option: "allow" } });
  await server.refusal("bus_publish", { topic: "agent.props.changed", body: {} });
  await server.refusal("bus_publish", { topic: "noded.props.changed", body: { cause: "register:notify" } });

  expect((await user.get(session)).requests.map((one) => one.request)).toEqual([request]);
  expect(await user.get(stranger)).toMatchObject({ state: "idle", turns: 0 });
  expect((await user.get(session)).children).toEqual([]);
});

test("what an agent starts is its to steer, by no mode; what that one's agent starts or steers above itself is refused", async () => {
  await using scene = await openScene({ scripted: withModes }, { settings: "max_sessions = 8" });
  const { user, place } = scene;
  const cwd = place.directory();
  const session = await scene.idle({ cwd });
  const agent = await scene.somebody(`mcp-s-${session}-aaaa`);
  const child = await agent.start({ agent: "scripted", cwd, config: { model: "all" }, name: "mine" });
  await user.wait(child, "idle");
  const childs = await scene.somebody(`mcp-s-${child}-aaaa`);
  const client = await scene.somebody("mcp-aaaaaa");
  for (const who of [agent, childs, client]) {
    for (const option of ["mode", "approvals"]) {
      for (const of of [session, child]) {
        const refused = await who.refusal("agent.session.set_config", { session: of, option, value: "all" });
        expect(refused.code).toBe("AGENT_SELF");
      }
    }
  }
  for (const of of [session, child]) {
    expect((await childs.refusal("agent.session.prompt", { session: of, prompt: "x" })).code).toBe("AGENT_SELF");
    expect((await childs.refusal("agent.session.cancel", { session: of })).code).toBe("AGENT_SELF");
    expect((await childs.refusal("agent.session.close", { session: of })).code).toBe("AGENT_SELF");
    expect((await childs.refusal("agent.session.resume", { session: of })).code).toBe("AGENT_DEPTH");
  }
  await agent.call("agent.session.set_config", { session: child, option: "model", value: "ask" });
  await agent.prompt(child, "go");
  await user.wait(child, "idle");
  // A person's choice comes back, whoever brings the session back.
  await user.call("agent.session.set_config", { session: child, option: "approvals", value: "all" });
  await agent.call("agent.session.close", { session: child });
  await user.wait(child, "ended");
  await agent.call("agent.session.resume", { session: child, fresh: true });
  await user.wait(child, "idle");
  expect(set(scene)).toEqual(["model", "model", "approvals", "approvals"]);
});

test("a start by an agent that names an option of category `mode` fails before the option is set", async () => {
  await using scene = await openScene({ scripted: withModes }, { settings: "max_sessions = 8" });
  const { user } = scene;
  const cwd = scene.place.directory();
  const session = await scene.idle({ cwd });
  for (const by of [`mcp-s-${session}-aaaa`, "mcp-aaaaaa"]) {
    const child = await (
      await scene.somebody(by)
    ).start({
      agent: "scripted",
      cwd,
      config: { approvals: "all" },
      prompt: "go",
    });
    await user.wait(child, "ended");
    const found = await user.get(child);
    expect(found).toMatchObject({ state: "failed", error: { error_code: "AGENT_SELF", field: "config" } });
    expect(ofKind(await user.log(child), "turn").at(-1)).toMatchObject({ phase: "ended", sent: false });
  }
  expect(set(scene)).toEqual([]);
  const persons = await user.start({ agent: "scripted", cwd, config: { approvals: "all" } });
  await user.wait(persons, "idle");
  expect(set(scene)).toEqual(["approvals"]);
});

test("agents together begin no more than half of the sessions, and a person can always begin one", async () => {
  await using scene = await openScene({ scripted: {} }, { settings: "max_sessions = 5" });
  const { user, place } = scene;
  const cwd = place.directory();
  const session = await scene.idle({ cwd });
  const agent = await scene.somebody(`mcp-s-${session}-aaaa`);
  const client = await scene.somebody("mcp-aaaaaa");
  const start = { agent: "scripted", cwd };
  const child = await agent.start(start);
  await client.start(start);
  for (const who of [agent, client]) {
    const { code, body } = await who.refusal("agent.session.start", start);
    expect({ code, body }).toMatchObject({ code: "AGENT_LIMIT", body: { max_sessions: 5, of_agents: 2 } });
  }
  await user.start(start);
  // What a person brings back is a person's, and leaves the agent its share.
  await user.wait(child, "idle");
  await agent.call("agent.session.close", { session: child });
  await user.wait(child, "ended");
  await user.call("agent.session.resume", { session: child, fresh: true });
  await agent.start(start);
  expect((await user.refusal("agent.session.start", start)).code).toBe("AGENT_LIMIT");
});

test("an agent brings nothing back whose directory is another by now", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user, place } = scene;
  const own = place.directory();
  const cwd = join(own, "in");
  mkdirSync(cwd);
  const agent = await scene.somebody(`mcp-s-${await scene.idle({ cwd: own })}-aaaa`);
  const child = await agent.start({ agent: "scripted", cwd });
  await user.wait(child, "idle");
  await agent.call("agent.session.close", { session: child });
  await user.wait(child, "ended");
  renameSync(cwd, join(own, "moved"));
  symlinkSync(place.directory(), cwd);
  const refused = await agent.refusal("agent.session.resume", { session: child, fresh: true });
  expect(refused).toMatchObject({ code: "AGENT_SELF", body: { field: "cwd" } });
  // A demo's own directory is in nobody's, and comes back.
  const demo = await agent.start({ agent: "demo" });
  await user.wait(demo, "idle");
  await agent.call("agent.session.close", { session: demo });
  await user.wait(demo, "ended");
  await agent.call("agent.session.resume", { session: demo });
  await user.wait(demo, "idle");
});

test("no agent is launched in a directory that became a link after its start was judged", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command });
  let swap = (): void => {};
  await using daemon = await startDaemonHere(place, { failpoint: (point) => point === "commit.before" && swap() });
  const person = new BusUser(await daemon.connect("mix-aaaaaa"));
  const own = place.directory();
  const cwd = join(own, "in");
  mkdirSync(cwd);
  const session = await person.start({ agent: "mine", cwd: own });
  await person.wait(session, "idle");
  const ofSession = new BusUser(await daemon.connect(`mcp-s-${session}-aaaa`));
  swap = () => {
    swap = () => {};
    renameSync(cwd, join(own, "moved"));
    symlinkSync(place.directory(), cwd);
  };
  const child = await ofSession.start({ agent: "mine", cwd });
  await person.wait(child, "ended");
  expect(await person.get(child)).toMatchObject({ state: "failed", error: { error_code: "AGENT_UNAVAILABLE" } });
});

test("an agent brings nothing back by whose name people have come to mean another session", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user, place } = scene;
  const cwd = place.directory();
  const agent = await scene.somebody(`mcp-s-${await scene.idle({ cwd })}-aaaa`);
  const client = await scene.somebody("mcp-aaaaaa");
  const end = async (who: BusUser, session: string): Promise<void> => {
    await user.wait(session, "idle");
    await who.call("agent.session.close", { session });
    await user.wait(session, "ended");
  };
  for (const [who, name] of [
    [agent, "release"],
    [client, "deploy"],
  ] as const) {
    const started = await who.start({ agent: "scripted", cwd, name });
    await end(who, started);
    // Nobody else bears it.
    await who.call("agent.session.resume", { session: started, fresh: true });
    await end(who, started);
    const persons = await scene.idle({ name });
    await end(user, persons);
    const refused = await who.refusal("agent.session.resume", { session: started, fresh: true });
    expect(refused).toMatchObject({ code: "AGENT_SELF", body: { field: "name" } });
    expect((await user.get(name)).session).toBe(persons);
  }
});

test("what came of a command is told again to whose command it was, under whatever name, and to nobody else", async () => {
  await using scene = await openScene({ scripted: {} }, { settings: "max_sessions = 20" });
  const { user, place } = scene;
  const cwd = place.directory();
  const session = await scene.idle({ cwd });
  const stamps = ["mix-bbbbbb", `mcp-s-${session}-aaaa`, `mcp-s-${await scene.idle({ cwd })}-aaaa`, "mcp-aaaaaa"];
  const askers = await Promise.all(stamps.map(async (stamp) => await scene.somebody(stamp)));
  for (const [index, sender] of askers.entries()) {
    const start = { agent: "scripted", cwd, command_id: `of-${index}` };
    const first = await sender.start(start);
    await user.wait(first, "idle");
    const renamed = await scene.somebody(`${stamps[index]?.slice(0, -4)}cccc`);
    expect(await renamed.start(start)).toBe(first);
    for (const other of askers.filter((one) => one !== sender)) {
      expect((await other.refusal("agent.session.start", start)).code).toBe("COMMAND_CONFLICT");
    }
  }
});

test("an answer needs a name that the broker stamped", async () => {
  await using scene = await openScene({ scripted: withModes });
  const { user } = scene;
  const session = await user.start({ agent: "scripted", cwd: scene.place.directory(), prompt: "ask" });
  const { request } = await question(user, session);
  const nameless = await scene.somebody(null);
  const refused = await nameless.refusal("agent.permission.answer", { request, option: "allow" });
  expect(refused).toMatchObject({ code: "UNSUPPORTED", message: expect.stringContaining("noded.register") });
  expect((await nameless.refusal("agent.elicitation.answer", { request, action: "decline" })).code).toBe("UNSUPPORTED");
  expect((await user.get(session)).requests).toHaveLength(1);
  await user.call("agent.permission.answer", { request, option: "allow" });
  await user.wait(session, "idle");
});

test("HELP says what is not for agents", async () => {
  await using scene = await openScene({});
  const { body } = await scene.user.client.call("agent", "HELP");
  const verbs = JSON.parse(body) as { name: string; description: string; read_only: boolean }[];
  const silent = verbs.filter(
    ({ read_only, description }) => !read_only && !/(?:; (?:an agent|agents: )|not for agents)/.test(description),
  );
  expect(silent).toEqual([]);
});

/** The options that the scene's agents were told to set, in order. */
function set(scene: Scene): unknown[] {
  const frames = scene.agent().received();
  const setting = frames.filter(({ method }) => method === "session/set_config_option");
  return setting.map(({ params }) => (params as { configId?: unknown }).configId);
}
