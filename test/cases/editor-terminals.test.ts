// SPDX-License-Identifier: MIT OR Apache-2.0
// Terminals of an agent that run in the editor which has a lease of its session.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refused } from "../../bus-client/index.ts";
import type { Limits } from "../../agentd/config/limits.ts";
import { EditorHere, EditorTerminals, type Serves } from "../harness/editor.ts";
import type { JsonObject, RequestStep, Rule, Step } from "../scripted-agent/scenario.ts";
import { ofKind, openScene, turnEnd } from "./scene.ts";

const ask = (id: string, method: string, params: JsonObject = {}): RequestStep => ({
  request: `terminal/${method}`,
  id,
  params: { sessionId: "$sessionId", ...params },
});
const create = (id: string, more: JsonObject = {}): RequestStep =>
  ask(id, "create", { command: "echo", args: ["own"], ...more });
const ofTerminal = (id: string, what: "output" | "wait_for_exit" | "kill" | "release"): RequestStep =>
  ask(id, what, { terminalId: "$terminalId" });
const later = (step: RequestStep): RequestStep => ({ ...step, await: false });
const endTurn: Step = { reply: { stopReason: "end_turn" } };

async function openStage(steps: readonly Step[], limits: Partial<Limits> = {}) {
  const rules: Rule[] = [
    { on: "session/prompt", match: "die", do: [{ kill: "SIGKILL" }] },
    { on: "session/prompt", do: [...steps, endTurn] },
  ];
  const scene = await openScene({ scripted: { rules } }, { limits: { leaseGraceMs: 50, ...limits } });
  const cwd = scene.place.directory();
  const session = await scene.idle({ cwd });
  const { user } = scene;
  return {
    scene,
    cwd,
    session,
    user,
    editor: async (serves: Serves) => await EditorHere.connect(scene.daemon.daemon.busUrl(), serves),
    answer: (id: string) =>
      scene
        .agent()
        .received()
        .find((frame) => frame["id"] === id && frame["method"] === undefined),
    terminals: async () => ofKind(await user.log(session), "terminal"),
    phase: async (phase: string) =>
      await user.entry(session, (entry) => entry.kind === "terminal" && entry.phase === phase),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

test("a command runs in the editor under an id of agentd's, and its end is in the log with the output before the agent hears of it", async () => {
  const steps = [
    create("create", { env: [{ name: "MINE", value: "yes" }], outputByteLimit: 3 }),
    later(ofTerminal("wait", "wait_for_exit")),
    { awaitAnswers: true } as Step,
    ofTerminal("output", "output"),
    ofTerminal("release", "release"),
    ofTerminal("gone", "output"),
  ];
  await using stage = await openStage(steps);
  const { user, session, cwd } = stage;
  const panes = new EditorTerminals();
  await using editor = await stage.editor(panes.serves);
  await editor.attach(session);
  await user.prompt(session, "go");
  await editor.askedFor("client.terminal.wait");
  panes.print("pane 1", "shown");
  panes.exit("pane 1", 3);
  await turnEnd(user, session);
  const [started, exited, ...more] = await stage.terminals();
  expect(started).toMatchObject({ phase: "started", command: "echo", args: ["own"], cwd, env: ["MINE"], turn: 1 });
  expect(started?.citizen).toBe(editor.name);
  expect(exited).toMatchObject({ phase: "exited", exit_code: 3, signal: null, tail: "shown" });
  expect(more.map(({ phase }) => phase)).toEqual(["released"]);
  expect(editor.asked[0]).toEqual([
    "client.terminal.create",
    {
      terminal: started?.terminal,
      command: "echo",
      args: ["own"],
      cwd,
      env: [{ name: "MINE", value: "yes" }],
      output_byte_limit: 1024 * 1024,
    },
  ]);
  expect(stage.answer("create")).toMatchObject({ result: { terminalId: started?.terminal } });
  expect(stage.answer("wait")).toMatchObject({ result: { exitCode: 3, signal: null } });
  expect(stage.answer("output")).toMatchObject({
    result: { output: "own", truncated: true, exitStatus: { exitCode: 3, signal: null } },
  });
  expect(stage.answer("release")).toMatchObject({ result: {} });
  expect(stage.answer("gone")).toMatchObject({ error: { code: -32002 } });
  expect(editor.asked.at(-1)).toEqual(["client.terminal.release", { terminal: "pane 1" }]);
});

test("a kill and a release reach the editor, and the log has the end that they made", async () => {
  const steps = [
    create("one"),
    later(ofTerminal("wait", "wait_for_exit")),
    ofTerminal("kill", "kill"),
    { awaitAnswers: true } as Step,
    create("two"),
    ofTerminal("release", "release"),
  ];
  await using stage = await openStage(steps);
  const { user, session } = stage;
  await using editor = await stage.editor(new EditorTerminals().serves);
  await editor.attach(session);
  await user.prompt(session, "go");
  await turnEnd(user, session);
  expect(stage.answer("wait")).toMatchObject({ result: { exitCode: null, signal: "SIGTERM" } });
  await user.entry(session, (entry) => entry.kind === "terminal" && entry.signal === "SIGKILL");
  expect((await stage.terminals()).map(({ phase, signal }) => [phase, signal])).toEqual([
    ["started", undefined],
    ["killed", undefined],
    ["exited", "SIGTERM"],
    ["started", undefined],
    ["released", undefined],
    ["exited", "SIGKILL"],
  ]);
});

test("when the editor leaves, its terminal is logged as exited with an unknown end and released, and who waits is answered", async () => {
  const steps = [
    create("create"),
    later(ofTerminal("wait", "wait_for_exit")),
    { awaitAnswers: true } as Step,
    ofTerminal("gone", "output"),
  ];
  await using stage = await openStage(steps);
  const { user, session } = stage;
  await using editor = await stage.editor(new EditorTerminals().serves);
  await editor.attach(session);
  await user.prompt(session, "go");
  await editor.askedFor("client.terminal.wait");
  await editor.kill();
  await turnEnd(user, session);
  expect(stage.answer("wait")).toMatchObject({ result: { exitCode: null, signal: null } });
  expect(stage.answer("gone")).toMatchObject({ error: { code: -32002 } });
  expect((await stage.terminals()).map(({ phase, exit_code, signal }) => [phase, exit_code, signal])).toEqual([
    ["started", undefined, undefined],
    ["exited", null, null],
    ["released", undefined, undefined],
  ]);
});

const endings = {
  "is closed": (stage: Awaited<ReturnType<typeof openStage>>) =>
    stage.user.call("agent.session.close", { session: stage.session }),
  "loses its agent": (stage: Awaited<ReturnType<typeof openStage>>) => stage.user.prompt(stage.session, "die"),
};

test.each(Object.entries(endings))("when a session %s, its editor is told to release its terminals", async (_, end) => {
  await using stage = await openStage([create("create"), later(ofTerminal("wait", "wait_for_exit"))]);
  const { user, session } = stage;
  await using editor = await stage.editor({ ...new EditorTerminals().serves, "client.terminal.release": () => {} });
  await editor.attach(session);
  await user.prompt(session, "go");
  await turnEnd(user, session);
  await end(stage);
  await user.wait(session, "ended");
  await editor.askedFor("client.terminal.release");
  await stage.phase("exited");
  expect((await stage.terminals()).map(({ phase }) => phase).toSorted()).toEqual(["exited", "released", "started"]);
});

test("a command that the editor does not serve, or that carries a secret, is run by agentd", async () => {
  const steps = [
    create("plain"),
    ofTerminal("wait", "wait_for_exit"),
    ofTerminal("output", "output"),
    create("secret", { args: ["own", "t0p-s3cret"], env: [{ name: "MY_TOKEN", value: "t0p-s3cret" }] }),
    ofTerminal("wait-secret", "wait_for_exit"),
  ];
  await using stage = await openStage(steps);
  const { user, session } = stage;
  await using editor = await stage.editor({ "client.terminal.create": () => refused("UNSUPPORTED", "no terminals") });
  await editor.attach(session);
  await user.prompt(session, "go");
  await turnEnd(user, session);
  expect(stage.answer("output")).toMatchObject({ result: { output: "own\n" } });
  expect(stage.answer("wait-secret")).toMatchObject({ result: { exitCode: 0 } });
  expect(editor.asked).toHaveLength(1);
  const started = (await stage.terminals()).filter(({ phase }) => phase === "started");
  expect(started.map(({ citizen }) => citizen)).toEqual([editor.name, undefined]);
  expect(ofKind(await user.log(session), "diagnostic")).toMatchObject([
    { what: "editor-away", message: expect.stringContaining("no terminals: agentd has run the command itself") },
  ]);
});

test("a command that the editor refuses, or may run without saying so, is the agent's error and is not run again", async () => {
  const touch = (id: string, name: string): RequestStep =>
    ask(id, "create", { command: "touch", args: [`$cwd/${name}`] });
  const outside = ask("outside", "create", { command: "touch", args: ["x"], cwd: "/etc" });
  await using stage = await openStage([touch("refused", "a"), touch("silent", "b"), outside], { leaseCallMs: 200 });
  const { user, session } = stage;
  let late = (): void => {};
  await using editor = await stage.editor({
    ...new EditorTerminals().serves,
    "client.terminal.create": (request) => {
      if (String(request.args["args"]).endsWith("a")) return refused("DENIED", "the person said no");
      late = () => void request.reply({ rc: 0, body: '{"terminal":"pane 9"}' });
      return;
    },
    "client.terminal.release": () => ({ rc: 0, body: "{}" }),
  });
  await editor.attach(session);
  await user.prompt(session, "go");
  await turnEnd(user, session);
  expect(stage.answer("refused")).toMatchObject({ error: { message: expect.stringContaining("the person said no") } });
  expect(stage.answer("silent")).toMatchObject({ error: { message: expect.stringContaining("may do") } });
  expect(stage.answer("outside")).toMatchObject({ error: { message: expect.stringContaining("outside") } });
  expect((await stage.terminals()).map(({ phase }) => phase)).toEqual(
    ["refused", "silent", "outside"].flatMap(() => ["started", "failed"]),
  );
  expect(editor.asked).toHaveLength(2);
  // What it started too late is released.
  late();
  await editor.askedFor("client.terminal.release");
  expect(editor.asked.at(-1)).toEqual(["client.terminal.release", { terminal: "pane 9" }]);
  expect(["a", "b"].filter((name) => existsSync(join(stage.cwd, name)))).toEqual([]);
});
