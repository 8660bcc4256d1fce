// SPDX-License-Identifier: MIT OR Apache-2.0
// What the instance's file and a start's arguments say is what happens; what they cannot say is refused by name.
// @module-tag slow
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import type { JsonObject } from "../scripted-agent/scenario.ts";
import type { StatusReply } from "../../agentd/vocabulary/index.ts";
import { BusUser } from "../harness/bus-user.ts";
import { startDaemonHere } from "../harness/daemon-here.ts";
import { leftIn } from "./living.ts";
import { makeCast, openScene, shortGraces, startWatched, stateOf, turnEnd } from "./scene.ts";

test("a session that has been idle for idle_timeout is closed for that reason; a turn begins the wait anew", async () => {
  const clock = new ManualClock();
  await using scene = await openScene({ scripted: {} }, { clock, settings: 'idle_timeout = "1m"' });
  const { user } = scene;
  const session = await scene.idle();
  clock.advance(59_999);
  await user.prompt(session, "go");
  await turnEnd(user, session);
  await user.wait(session, "idle");
  clock.advance(59_999);
  expect((await user.get(session)).state).toBe("idle");
  clock.advance(1);
  expect(await stateOf(user, session, "closed")).toMatchObject({ reason: "idle" });
  expect(await leftIn(scene.place)).toEqual([]);
});

test("one session more than max_sessions is refused, and one that has ended makes room", async () => {
  await using scene = await openScene({ scripted: {} }, { settings: "max_sessions = 2" });
  const { user, place } = scene;
  const sessions = [await scene.idle(), await scene.idle()];
  const args = { agent: "scripted", cwd: place.directory() };
  const refused = await user.refusal("agent.session.start", args);
  expect(refused).toMatchObject({ code: "AGENT_LIMIT", body: { max_sessions: 2 } });
  await user.call("agent.session.close", { session: sessions[0] ?? "" });
  await user.wait(sessions[0] ?? "", "ended");
  // Of several at once only as many are taken as fit.
  const results = await Promise.allSettled([1, 2, 3].map(() => user.call("agent.session.start", args)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("a directory outside of the roots is refused with the roots, also behind a link or dots", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user, place } = scene;
  mkdirSync(join(place.home, "work-evil"));
  symlinkSync("/etc", join(place.root, "link"));
  for (const cwd of ["/etc", join(place.home, "work-evil"), join(place.root, "link"), `${place.root}/../work-evil`]) {
    const refused = await user.refusal("agent.session.start", { agent: "scripted", cwd });
    expect(refused).toMatchObject({ code: "ROOT_REFUSED", body: { roots: [place.root] } });
  }
  const additional = { agent: "scripted", cwd: place.directory(), additional_dirs: ["/etc"] };
  expect((await user.refusal("agent.session.start", additional)).code).toBe("ROOT_REFUSED");
  const gone = await user.refusal("agent.session.start", { agent: "scripted", cwd: join(place.root, "gone") });
  expect(gone).toMatchObject({ code: "ARGUMENT", body: { field: "cwd" } });
  expect(await user.call("agent.session.list", {})).toMatchObject({ sessions: [] });
});

test("an agent's models are its option model: a listed one is set, and another one is refused before it is sent", async () => {
  const models = {
    currentModelId: "small",
    availableModels: [
      { modelId: "small", name: "Small" },
      { modelId: "large[high]", name: "Large" },
    ],
  };
  const rules = [{ on: "session/set_model", do: [{ reply: {} }] }];
  await using scene = await openScene({ scripted: { session: { models }, rules } });
  const { user } = scene;
  const session = await scene.idle({ config: { model: "large[high]" } });
  expect((await user.get(session)).options).toMatchObject([{ option: "model", value: "large[high]" }]);
  const set = { session, option: "model", value: "gpt-9" };
  expect(await user.refusal("agent.session.set_config", set)).toMatchObject({
    code: "OPTION_UNKNOWN",
    body: { values: ["small", "large[high]"] },
  });
  const changed = await user.call("agent.session.set_config", { session, option: "model", value: "small" });
  expect(changed).toMatchObject({ options: [{ option: "model", value: "small" }] });
  const sent = scene
    .agent()
    .received()
    .filter(({ method }) => method === "session/set_model");
  expect(sent.map(({ params }) => (params as JsonObject)["modelId"])).toEqual(["large[high]", "small"]);
});

test("what an agent has said that it does not support is refused before anything is logged, with what to do", async () => {
  await using scene = await openScene({
    scripted: (directory) => ({
      rules: [{ on: "session/new", do: [{ waitForFile: join(directory, "go") }, "default"] }],
    }),
  });
  const { user, place } = scene;
  const agent = { agent: "scripted", cwd: place.directory() };
  const image = [{ type: "image", data: "AA==", mimeType: "image/png" }];
  // Nothing is known before the first start.
  const first = await user.start({ ...agent, additional_dirs: [place.directory()] });
  expect(await stateOf(user, first, "failed")).toMatchObject({ error: { error_code: "UNSUPPORTED" } });

  const unsupported = [
    { field: "additional_dirs", additional_dirs: [place.directory()] },
    { field: "mcp_servers", mcp_servers: [{ type: "sse" as const, name: "docs", url: "http://localhost/" }] },
    { field: "prompt", prompt: image },
  ];
  for (const { field, ...args } of unsupported) {
    const refused = await user.refusal("agent.session.start", { ...agent, ...args });
    expect(refused).toMatchObject({ code: "UNSUPPORTED", body: { agent: "scripted", field } });
    expect(refused.message).toMatch(/with version 1\.0\.0\): (?:leave|send)/u);
  }
  const starting = await user.start({ ...agent, cwd: place.directory() });
  const refused = await user.refusal("agent.session.prompt", { session: starting, prompt: image });
  expect(refused).toMatchObject({ code: "UNSUPPORTED", body: { field: "prompt" } });
  writeFileSync(join(scene.agent().directory, "go"), "");
  await user.wait(starting, "idle");
  expect(await user.log(starting, ["turn", "message"])).toEqual([]);
  expect((await user.refusal("agent.session.prompt", { session: starting, prompt: image })).code).toBe("UNSUPPORTED");
  expect(await user.call("agent.session.list", {})).toMatchObject({
    sessions: [{ session: starting }, { session: first }],
  });
});

test("a start of Gemini in a directory that it does not trust says so in the session's log", async () => {
  using cast = makeCast({ scripted: {} });
  const [node, ...args] = cast.agent().command;
  const bin = join(cast.place.home, "bin");
  mkdirSync(bin);
  const words = [node, ...args].map((word) => `'${word}'`).join(" ");
  writeFileSync(join(bin, "gemini"), `#!/bin/sh\nexec ${words}\n`, { mode: 0o755 });
  const environment = { ...cast.place.environment, PATH: `${bin}:${cast.place.environment["PATH"] ?? ""}` };
  await using daemon = await startDaemonHere({ ...cast.place, environment }, { limits: shortGraces });
  const user = await BusUser.watching(await daemon.connect());
  const cwd = cast.place.directory();
  const noticesOfStart = async (): Promise<unknown[]> => {
    const session = await user.start({ agent: "gemini", cwd });
    await user.wait(session, "idle");
    return await user.log(session, ["notice"]);
  };
  expect(await noticesOfStart()).toMatchObject([
    {
      severity: "warning",
      title: expect.stringContaining("does not trust"),
      description: expect.stringContaining(cwd),
    },
  ]);
  mkdirSync(join(cast.place.home, ".gemini"));
  writeFileSync(join(cast.place.home, ".gemini", "trustedFolders.json"), JSON.stringify({ [cwd]: "TRUST_FOLDER" }));
  expect(await noticesOfStart()).toEqual([]);
});

test("the MCP servers, directories and variables of a start reach the agent; the log has their names alone", async () => {
  using cast = makeCast(
    {
      scripted: {
        initialize: {
          agentCapabilities: { mcpCapabilities: { http: true }, sessionCapabilities: { additionalDirectories: {} } },
        },
      },
    },
    { settings: 'allow_env = ["TOKEN"]' },
  );
  const { place } = cast;
  const { daemon, user } = await startWatched(place, { TOKEN: "the-value" });
  await using _ = daemon;
  const [cwd, more] = [place.directory(), place.directory()];
  const session = await user.start({
    agent: "scripted",
    cwd,
    additional_dirs: [more],
    env: ["TOKEN"],
    mcp_servers: [
      {
        name: "near",
        command: "/bin/tool",
        args: ["--secret-argument"],
        env: [{ name: "A", value: { env: "TOKEN" } }],
      },
      { type: "http", name: "far", url: "https://user:word@example.org", headers: [{ name: "H", value: "literal" }] },
    ],
  });
  await user.wait(session, "idle");
  const opened = cast
    .agent()
    .received()
    .find(({ method }) => method === "session/new");
  expect((opened as JsonObject)["params"]).toEqual({
    cwd,
    additionalDirectories: [more],
    mcpServers: [
      { name: "near", command: "/bin/tool", args: ["--secret-argument"], env: [{ name: "A", value: "the-value" }] },
      { type: "http", name: "far", url: "https://user:word@example.org", headers: [{ name: "H", value: "literal" }] },
    ],
  });
  const log = JSON.stringify(await user.log(session));
  for (const secret of ["the-value", "literal", "secret-argument", "word@"]) expect(log).not.toContain(secret);
  for (const name of ["near", "far", '"TOKEN"', '"A"', '"H"']) expect(log).toContain(name);
});

test("a variable that may not be passed on, or has no value, is refused by its name", async () => {
  await using scene = await openScene({ scripted: {} }, { settings: 'allow_env = ["ALLOWED"]' });
  const { user, place } = scene;
  const args = { agent: "scripted", cwd: place.directory() };
  for (const name of ["HOME", "ALLOWED"]) {
    const refused = await user.refusal("agent.session.start", { ...args, env: [name] });
    expect(refused).toMatchObject({ code: "ARGUMENT", body: { field: "env", name } });
  }
  const odd = await user.refusal("agent.session.start", { ...args, env: ["not a name"] });
  expect(odd).toMatchObject({ code: "ARGUMENT", body: { field: "env.0" } });
});

test.each<[string, object, string, string]>([
  ["a mistyped argument", { polcy: "reading" }, "ARGUMENT", "polcy"],
  ["a policy that is not configured", { policy: "reading" }, "ARGUMENT", "policy"],
  ["an argument of the wrong type", { additional_dirs: "/a" }, "ARGUMENT", "additional_dirs"],
  ["an empty prompt", { prompt: " \n" }, "ARGUMENT", "prompt"],
  ["the instance's own name", { name: "instance" }, "ARGUMENT", "name"],
  ["a name that looks like a path", { name: "../up" }, "ARGUMENT", "name"],
  ["an empty command id", { command_id: "" }, "ARGUMENT", "command_id"],
  ["an agent that is not in the catalogue", { agent: "scriptd" }, "AGENT_UNKNOWN", ""],
])("a start with %s is refused, says where it is wrong, and starts nothing", async (_, wrong, code, field) => {
  await using scene = await openScene({ scripted: {} });
  const { user, place } = scene;
  const args = { agent: "scripted", cwd: place.directory(), ...wrong };
  const refused = await user.refusal("agent.session.start", args);
  expect(refused.code).toBe(code);
  if (field !== "") expect(refused.body["field"]).toBe(field);
  if (code === "AGENT_UNKNOWN") expect(refused.body["message"]).toContain("scripted");
  expect(await user.call("agent.session.list", {})).toMatchObject({ sessions: [] });
});

test("a changed file counts from its change on; one that is wrong changes nothing and is shown in agent.status", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user, place } = scene;
  const status = async (): Promise<StatusReply> => await user.call<StatusReply>("agent.status", {});
  const command = JSON.stringify(scene.agent().command);
  place.configure(`max_sessions = 3\n[agents.added]\ncommand = ${command}\n`);
  await expect.poll(async () => (await status()).sessions.max, { timeout: 10_000 }).toBe(3);
  await scene.idle({ agent: "added" });

  writeFileSync(place.configFile, "max_sessions = 5\nmax_sesions = 6\n");
  await expect.poll(async () => (await status()).config.error, { timeout: 10_000 }).toContain("max_sesions");
  expect((await status()).sessions.max).toBe(3);
  await scene.idle({ agent: "added" });
  // What the refused edit might have brought is refused with its reason; an argument of another kind is not.
  for (const args of [{ agent: "not-yet" }, { policy: "not-yet" }, { env: ["NOT_YET"] }, { cwd: "/tmp" }]) {
    const start = { agent: "added", cwd: place.directory(), ...args };
    expect((await user.refusal("agent.session.start", start)).body).toMatchObject({
      message: expect.stringMatching(
        /the configuration file was changed and refused, .* max_sesions is an unknown key/,
      ),
      config_problem: expect.stringContaining("max_sesions"),
    });
  }
  expect((await user.refusal("agent.session.get", { session: "nobody" })).body).not.toHaveProperty("config_problem");

  place.configure("max_sessions = 4\n");
  await expect.poll(async () => (await status()).sessions.max, { timeout: 10_000 }).toBe(4);
  expect((await status()).config.error).toBeUndefined();
  const refused = await user.refusal("agent.session.start", { agent: "added", cwd: place.directory() });
  expect(refused.code).toBe("AGENT_UNKNOWN");
  expect(refused.message).not.toContain("configuration file");
});
