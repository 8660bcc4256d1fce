// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent asks, in an editor: the face in this process, a real agentd, a scripted agent, and somebody else on the
// Bus who can answer as well.
import { expect, test } from "vitest";
import { startFace } from "../../acp-face/face-start.ts";
import { type Editor, editorOf, type Message } from "../../acp-face/testing/scripted-editor.ts";
import { requestsOn } from "../../agent-client/requests/ask.ts";
import { systemClock } from "../../bus-client/index.ts";
import type { JsonObject, Scenario, Step } from "../scripted-agent/scenario.ts";
import { onPrompt, ofKind, openScene, question, type Scene, type SceneOptions, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };
const asking: Scenario = onPrompt({ permission: {} }, endTurn);
const options = [
  { optionId: "allow_once", name: "Allow", kind: "allow_once" },
  { optionId: "reject_once", name: "Reject", kind: "reject_once" },
];
const selected = (optionId: string) => ({ result: { outcome: { outcome: "selected", optionId } } });

interface Stage extends AsyncDisposable {
  readonly scene: Scene;
  readonly editor: Editor;
  readonly session: string;
  /** Prompts. Resolves to the reply. */
  prompt(): Promise<Message>;
  /** The next message of this method; what comes before is dropped. */
  next(method: string): Promise<Message>;
  /** The agent's view of the answer to its nth permission, from 1. */
  outcome(nth?: number): unknown;
}

async function openStage(scripted: Scenario, capabilities: object = {}, more: SceneOptions = {}): Promise<Stage> {
  const scene = await openScene({ scripted }, more);
  const connect = async () => {
    const client = await scene.daemon.connect("acp-aaaaaa");
    const reader = await scene.daemon.connect(null);
    const close = async (): Promise<void> => void (await Promise.all([client.leave(), reader.leave()]));
    return { ...requestsOn(client), client, reader: async () => reader, mayComeBack: () => true, close };
  };
  let commands = 0;
  const editor = await editorOf(
    (streams) =>
      startFace({
        ...streams,
        connect,
        clock: systemClock,
        newCommandId: () => `editor-${(commands += 1)}`,
        agent: "scripted",
        keepsRunning: false,
        version: "0.0.0-test",
        diagnose: () => {},
      }),
    capabilities,
  );
  const { result } = await editor.request("session/new", { cwd: scene.place.directory(), mcpServers: [] });
  const session = (result as { readonly sessionId: string }).sessionId;
  return {
    scene,
    editor,
    session,
    prompt: () => editor.request("session/prompt", { sessionId: session, prompt: [{ type: "text", text: "go" }] }),
    async next(method) {
      for (;;) {
        const message = await editor.next();
        if (message.method === method) return message;
      }
    },
    outcome: (nth = 1) =>
      scene
        .agent()
        .received()
        .filter(({ method, result: answer }) => method === undefined && (answer as JsonObject | undefined)?.["outcome"])
        .map(({ result: answer }) => (answer as JsonObject)["outcome"])[nth - 1],
    async [Symbol.asyncDispose]() {
      await editor.end();
      await scene[Symbol.asyncDispose]();
    },
  };
}

test("a permission is asked after its tool call was told, and the editor's answer reaches the agent in its name", async () => {
  await using stage = await openStage(asking);
  const reply = stage.prompt();
  const call = { toolCallId: "tool-1", title: "Do it" };
  expect((await stage.next("session/update")).params?.["update"]).toMatchObject({
    sessionUpdate: "tool_call",
    ...call,
    status: "pending",
  });
  const dialog = await stage.editor.next();
  expect(dialog).toMatchObject({ id: -1, method: "session/request_permission", params: { toolCall: call, options } });
  stage.editor.answer(-1, selected("allow_once"));
  expect(await reply).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(stage.outcome()).toEqual({ outcome: "selected", optionId: "allow" });
  const permissions = ofKind(await stage.scene.user.log(stage.session), "permission");
  const resolved = permissions.find(({ phase }) => phase === "resolved");
  expect(resolved).toMatchObject({ outcome: "selected", option: "allow", by: "acp-aaaaaa" });
});

test("an answer from elsewhere withdraws the dialog, and the editor's late answer changes nothing", async () => {
  await using stage = await openStage(asking);
  const reply = stage.prompt();
  await stage.next("session/request_permission");
  const { request } = await question(stage.scene.user, stage.session);
  await stage.scene.user.call("agent.permission.answer", { request, option: "reject" });
  expect(await stage.next("$/cancel_request")).toMatchObject({ params: { requestId: -1 } });
  stage.editor.answer(-1, selected("allow_once"));
  expect(await reply).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(stage.outcome()).toEqual({ outcome: "selected", optionId: "reject" });
  expect(ofKind(await stage.scene.user.log(stage.session), "command").map(({ verb }) => verb)).toEqual([
    "agent.session.start",
    "agent.session.prompt",
    "agent.permission.answer",
  ]);
});

test("a question that the agent changes is asked again as it is now", async () => {
  const changed = { sessionUpdate: "tool_call_update", toolCallId: "tool-1", title: "Do something else" };
  await using stage = await openStage(
    onPrompt({ permission: {}, await: false }, { update: changed }, { awaitAnswers: true }, endTurn),
  );
  const reply = stage.prompt();
  await stage.next("session/request_permission");
  expect(await stage.next("$/cancel_request")).toMatchObject({ params: { requestId: -1 } });
  expect(await stage.next("session/request_permission")).toMatchObject({
    id: -2,
    params: { toolCall: { toolCallId: "tool-1", title: "Do something else" } },
  });
  stage.editor.answer(-1, selected("allow_once"));
  stage.editor.answer(-2, selected("reject_once"));
  expect(await reply).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(stage.outcome()).toEqual({ outcome: "selected", optionId: "reject" });
});

test("a cancel withdraws the dialog, and the agent is told that its question is cancelled", async () => {
  await using stage = await openStage({
    rules: [...(asking.rules ?? []), { on: "session/cancel", do: [] }],
  });
  const reply = stage.prompt();
  await stage.next("session/request_permission");
  stage.editor.notify("session/cancel", { sessionId: stage.session });
  expect(await stage.next("$/cancel_request")).toMatchObject({ params: { requestId: -1 } });
  stage.editor.answer(-1, selected("allow_once"));
  expect(await reply).toMatchObject({ result: { stopReason: "cancelled" } });
  expect(stage.outcome()).toEqual({ outcome: "cancelled" });
});

test("an editor that goes away hands the question back: it allows nothing", async () => {
  await using stage = await openStage(asking);
  void stage.prompt();
  await stage.next("session/request_permission");
  await stage.editor.end();
  expect(await turnEnd(stage.scene.user, stage.session)).toMatchObject({ stop_reason: "cancelled" });
  expect(stage.outcome()).toEqual({ outcome: "cancelled" });
  const verbs = ofKind(await stage.scene.user.log(stage.session), "command").map(({ verb }) => verb);
  expect(verbs).not.toContain("agent.permission.answer");
});

test("a question that nobody answers in time is withdrawn", async () => {
  await using stage = await openStage(asking, {}, { settings: 'permission_timeout = "1s"' });
  const reply = stage.prompt();
  expect(await stage.next("$/cancel_request")).toMatchObject({ params: { requestId: -1 } });
  expect(await reply).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(stage.outcome()).toEqual({ outcome: "selected", optionId: "reject" });
});

test("a sub-agent's question is asked in its session's chat, about a call of its own", async () => {
  await using stage = await openStage(
    onPrompt({ permission: { sessionId: "child", toolCall: { toolCallId: "t" } } }, endTurn),
  );
  const reply = stage.prompt();
  const id = "child/t";
  expect((await stage.next("session/update")).params).toMatchObject({
    sessionId: stage.session,
    update: { sessionUpdate: "tool_call", toolCallId: id, title: "Do it" },
  });
  expect(await stage.editor.next()).toMatchObject({
    id: -1,
    params: { sessionId: stage.session, toolCall: { toolCallId: id } },
  });
  stage.editor.answer(-1, selected("allow_once"));
  await reply;
  expect(stage.outcome()).toEqual({ outcome: "selected", optionId: "allow" });
  const statuses = stage.editor.waiting.map(({ params }) => (params?.["update"] as JsonObject | undefined)?.["status"]);
  expect(statuses.filter((status) => status !== undefined)).toEqual(["in_progress", "completed"]);
});

const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const form: Step = {
  request: "elicitation/create",
  params: { sessionId: "$sessionId", mode: "form", message: "Name?", requestedSchema: schema },
};

test("a form is asked in the editor until its answer fits", async () => {
  await using stage = await openStage(onPrompt(form, endTurn), { elicitation: { form: {} } });
  const reply = stage.prompt();
  const first = await stage.next("elicitation/create");
  expect(first.params).toMatchObject({
    sessionId: stage.session,
    mode: "form",
    message: "Name?",
    requestedSchema: schema,
  });
  stage.editor.answer(first.id, { result: { action: "accept", content: {} } });
  const second = await stage.next("elicitation/create");
  expect(second.params?.["message"]).toMatch(/name.*\n\nName\?$/su);
  stage.editor.answer(second.id, { result: { action: "accept", content: { name: "Ada" } } });
  expect(await reply).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(stage.scene.agent().received()).toContainEqual(
    expect.objectContaining({ result: { action: "accept", content: { name: "Ada" } } }),
  );
});

test("a form that the editor cannot show is left to others", async () => {
  await using stage = await openStage(onPrompt(form, endTurn), { elicitation: { url: {} } });
  const reply = stage.prompt();
  const { user } = stage.scene;
  const asked = await user.entry(stage.session, ({ kind }) => kind === "elicitation");
  const request = asked.kind === "elicitation" ? asked.request : "";
  await user.call("agent.elicitation.answer", { request, action: "decline" });
  expect(await reply).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(stage.editor.waiting.filter(({ method }) => method === "elicitation/create")).toEqual([]);
});

const everything = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
const ofFile = (what: "read" | "write", more: JsonObject): Step => ({
  request: `fs/${what}_text_file`,
  params: { sessionId: "$sessionId", path: "$cwd/notes.txt", ...more },
});

test("files are read and written through the editor, in lines that agentd cuts", async () => {
  await using stage = await openStage(
    onPrompt(ofFile("write", { content: "new\n" }), ofFile("read", { line: 2, limit: 1 }), endTurn),
    everything,
  );
  const reply = stage.prompt();
  const write = await stage.next("fs/write_text_file");
  expect(write.params).toMatchObject({ sessionId: stage.session, content: "new\n" });
  stage.editor.answer(write.id, { result: "Failed to write file" });
  const read = await stage.next("fs/read_text_file");
  expect(Object.keys(read.params ?? {})).toEqual(["sessionId", "path"]);
  stage.editor.answer(read.id, { result: { content: "one\ntwo\nthree\n" } });
  expect(await reply).toMatchObject({ result: { stopReason: "end_turn" } });
  const answers = stage.scene
    .agent()
    .received()
    .filter(({ method }) => method === undefined);
  expect(answers[0]).toMatchObject({ error: { message: expect.stringContaining("Failed to write file") } });
  expect(answers[1]).toMatchObject({ result: { content: "two\n" } });
});

test("a terminal runs in the editor, where the tool call that shows it finds it by the editor's id", async () => {
  const shown = {
    sessionUpdate: "tool_call",
    toolCallId: "t",
    title: "List",
    content: [{ type: "terminal", terminalId: "$terminalId" }],
  };
  const terminal = (what: string, more: JsonObject = { terminalId: "$terminalId" }): Step => ({
    request: `terminal/${what}`,
    params: { sessionId: "$sessionId", ...more },
  });
  await using stage = await openStage(
    onPrompt(
      terminal("create", { command: "ls" }),
      { update: shown },
      terminal("wait_for_exit"),
      terminal("output"),
      endTurn,
    ),
    everything,
  );
  const { editor, session } = stage;
  editor.answers.set("terminal/create", { terminalId: "pane 7" });
  editor.answers.set("terminal/wait_for_exit", { exitCode: 3, signal: null });
  editor.answers.set("terminal/output", { output: "a b", truncated: false });
  editor.answers.set("terminal/release", null);
  expect(await stage.prompt()).toMatchObject({ result: { stopReason: "end_turn" } });
  const told = editor.waiting.map(({ method, params }) => [method, params] as const);
  expect(told).toContainEqual([
    "terminal/create",
    expect.objectContaining({ sessionId: session, command: "ls", cwd: expect.stringMatching(/^\//) }),
  ]);
  const calls = told.map(([, params]) => params?.["update"] as JsonObject | undefined);
  expect(calls.find((update) => update?.["sessionUpdate"] === "tool_call")).toMatchObject({
    content: [{ type: "terminal", terminalId: "pane 7" }],
  });
  const answers = stage.scene
    .agent()
    .received()
    .filter(({ method }) => method === undefined);
  expect(answers[1]).toMatchObject({ result: { exitCode: 3, signal: null } });
  expect(answers[2]).toMatchObject({ result: { output: "a b" } });
  // The session ends, and with it the terminal that the agent did not release.
  await editor.request("session/close", { sessionId: session });
  await stage.next("terminal/release");
});
