// SPDX-License-Identifier: MIT OR Apache-2.0
// The conversation itself: whose ids are whose, which version is spoken, and what to do with words that nobody knows.
// @module-tag slow
import { expect, test } from "vitest";
import { objectionsToClientFrame } from "../../acp-client/testing/official-schema.ts";
import type { Json, Step } from "../scripted-agent/scenario.ts";
import { agentText, ofKind, openScene, question, stateOf, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };

test("an agent that spells our integer id as a text or as a fraction is understood, and it is reported (case 14)", async () => {
  const result = { stopReason: "end_turn" };
  await using scene = await openScene({
    scripted: {
      rules: [
        // 0 is initialize, 1 is session/new, 2 and 3 are the prompts.
        { on: "session/prompt", nth: 1, do: [{ send: { jsonrpc: "2.0", id: "2", result } }] },
        {
          on: "session/prompt",
          nth: 2,
          do: [{ raw: `{"jsonrpc":"2.0","id":3.0,"result":${JSON.stringify(result)}}\n` }],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  for (const turn of [1, 2]) {
    await user.prompt(session, "go");
    expect(await turnEnd(user, session, turn)).toMatchObject({ stop_reason: "end_turn" });
  }
  expect(ofKind(await user.log(session), "diagnostic").map(({ what }) => what)).toEqual(["id-spelling"]);
});

test("an answer that is not JSON fails its turn with the parser's words, and the session goes on", async () => {
  await using scene = await openScene({
    scripted: {
      rules: [
        // 0 is initialize, 1 is session/new, 2 is the prompt.
        {
          on: "session/prompt",
          nth: 1,
          do: [
            { raw: '{"jsonrpc":"2.0","id":"q","method":"fs/read_text_file","params":{"line":NaN}}\n' },
            { raw: '{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn","usage":{"cost":NaN}}}\n' },
          ],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const failed = await turnEnd(user, session);
  expect(failed).toMatchObject({ stop_reason: "failed", sent: true, error: { error_code: "AGENT_PROTOCOL" } });
  expect(failed.error?.message).toContain("answered session/prompt with a line that is not JSON: Unexpected token 'N'");
  await user.wait(session, "idle");
  await user.prompt(session, "again");
  expect(await turnEnd(user, session, 2)).toMatchObject({ stop_reason: "end_turn" });
  expect(ofKind(await user.log(session), "diagnostic").map(({ what }) => what)).toContain("not-json");
  expect(scene.agent().received()).toContainEqual({
    jsonrpc: "2.0",
    id: "q",
    error: { code: -32700, message: "Parse error: Unexpected token 'N'" },
  });
});

test("an agent's own reason in the data of an error is told to people", async () => {
  const error = { code: -32603, message: "Internal error", data: { details: "rate limit, try again at 5 pm" } };
  await using scene = await openScene({
    scripted: { rules: [{ on: "session/prompt", do: [{ error }] }] },
    unwilling: { rules: [{ on: "session/new", do: [{ error }] }] },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const words = "Internal error: rate limit, try again at 5 pm (-32603)";
  expect((await turnEnd(user, session)).error?.message).toContain(words);
  const failed = await user.start({ agent: "unwilling", cwd: scene.place.directory() });
  expect((await stateOf(user, failed, "failed")).error?.message).toContain(words);
});

test("a second question with the id of one that is open is refused, and the first is answered (case 17)", async () => {
  await using scene = await openScene({
    scripted: {
      rules: [
        {
          on: "session/prompt",
          do: [
            { permission: { toolCall: { toolCallId: "first" } }, id: 7, await: false },
            { permission: { toolCall: { toolCallId: "second" } }, id: 7, await: false },
            { awaitAnswers: true },
          ],
        },
        { on: "response", match: '"allow"', do: [{ reply: { stopReason: "end_turn" }, to: "$promptId" }] },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const asked = await question(user, session);
  expect(asked.tool_call?.tool_call_id).toBe("first");
  await user.call("agent.permission.answer", { session, request: asked.request, option: "allow" });
  await turnEnd(user, session);
  const answers = scene
    .agent()
    .received()
    .filter(({ id, method }) => id === 7 && method === undefined);
  expect(answers).toEqual([
    { jsonrpc: "2.0", id: 7, error: { code: -32600, message: "Invalid request: this id is in use" } },
    { jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "selected", optionId: "allow" } } },
  ]);
  expect(ofKind(await user.log(session), "permission").filter(({ phase }) => phase === "requested")).toHaveLength(1);
});

test("two people's command ids may be the same in two sessions, and no agent ever sees them (case 19)", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user } = scene;
  const other = await scene.somebody();
  const sessions = [await scene.idle(), await scene.idle()] as const;
  const command_id = "my-own-id-17";
  await Promise.all([
    user.call("agent.session.prompt", { session: sessions[0], prompt: "one", command_id }),
    other.call("agent.session.prompt", { session: sessions[1], prompt: "two", command_id }),
  ]);
  for (const session of sessions) expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" });
  const frames = scene.agent().received();
  const prompts = frames.filter(({ method }) => method === "session/prompt");
  expect(prompts).toHaveLength(2);
  for (const { id } of prompts) expect(Number.isInteger(id)).toBe(true);
  expect(JSON.stringify(frames)).not.toContain(command_id);
});

test("an update of an unknown kind is kept as it came, and the turn ends as it should (case 20)", async () => {
  const unknown = { sessionUpdate: "totally_new_kind", deep: { list: [1, { two: null }] } };
  const cost = { amount: 0.25, currency: "USD" };
  const usage = { sessionUpdate: "usage_update", used: 5, size: 10, cost, invented: true };
  const bare = { sessionUpdate: "tool_call", toolCallId: "bare", title: "No more than it must" };
  await using scene = await openScene({
    scripted: {
      rules: [
        {
          on: "session/prompt",
          do: [{ update: unknown }, { update: usage }, { update: bare }, { text: "done" }, endTurn],
        },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "end_turn" });
  const log = await user.log(session);
  expect(JSON.stringify(ofKind(log, "extension")[0]?.data)).toContain(JSON.stringify(unknown.deep));
  expect(ofKind(log, "usage")[0]).toMatchObject({ used: 5, size: 10, cost });
  expect(ofKind(log, "turn").at(-1)).toMatchObject({ usage: { cost } });
  expect(await user.get(session)).toMatchObject({
    usage: { used: 5, size: 10, cost },
    usage_total: { turns: 1, cost },
  });
  expect(ofKind(log, "tool_call")[0]).toMatchObject({ tool_call_id: "bare", title: bare.title });
  expect(agentText(log)).toBe("done");
});

test.each<[string, Json]>([
  ["with protocol version 2", { protocolVersion: 2 }],
  ["with protocol version 0", { protocolVersion: 0 }],
  ['with protocol version "1"', { protocolVersion: "1" }],
  ["with protocol version 65535", { protocolVersion: 65_535 }],
  ["without a protocol version", {}],
])("an agent that answers initialize %s is not talked to, and the error says so (case 23)", async (shown, answer) => {
  await using scene = await openScene({ scripted: { rules: [{ on: "initialize", do: [{ reply: answer }] }] } });
  const { user } = scene;
  const session = await user.start({ agent: "scripted", cwd: scene.place.directory(), prompt: "go" });
  const failed = await stateOf(user, session, "failed");
  expect(failed.error).toMatchObject({ error_code: "AGENT_PROTOCOL" });
  expect(failed.error?.message).toContain(shown);
  expect(failed.error?.message).toContain("version 1 was asked for");
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "interrupted", sent: false });
  expect(
    scene
      .agent()
      .received()
      .map(({ method }) => method),
  ).toEqual(["initialize"]);
});

test("every frame that an agent gets in a session's whole life is valid ACP v1 (case 25)", async () => {
  const choice = (value: string) => ({ value, name: value });
  const option = { id: "mode", name: "Mode", category: "mode", type: "select", currentValue: "ask" };
  await using scene = await openScene({
    scripted: {
      initialize: {
        agentCapabilities: {
          mcpCapabilities: { http: true },
          promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { close: {}, additionalDirectories: {} },
        },
      },
      session: { configOptions: [{ ...option, options: [choice("ask"), choice("plan")] }] },
      rules: [
        { on: "session/prompt", match: "permission", do: [{ permission: {} }, endTurn] },
        { on: "session/prompt", match: "unknown", do: [{ request: "fs/never_heard_of" }, endTurn] },
        { on: "session/prompt", match: "linger", do: [{ text: "hm" }] },
      ],
    },
  });
  const { user, place } = scene;
  const session = await scene.idle({
    additional_dirs: [place.directory()],
    config: { mode: "plan" },
    mcp_servers: [
      { name: "local", command: "/bin/true", args: ["-v"], env: [{ name: "A", value: "b" }] },
      { type: "http", name: "far", url: "https://example.org/mcp", headers: [{ name: "X-A", value: "b" }] },
    ],
  });
  await user.call("agent.session.prompt", {
    session,
    prompt: [
      { type: "text", text: "permission" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "resource", resource: { uri: "file:///b", text: "b" } },
    ],
  });
  const asked = await question(user, session);
  await user.call("agent.permission.answer", { session, request: asked.request, option: "allow" });
  await turnEnd(user, session);
  await user.prompt(session, "unknown");
  await turnEnd(user, session, 2);
  await user.call("agent.session.set_config", { session, option: "mode", value: "ask" });
  await user.prompt(session, "linger");
  await user.entry(session, (entry) => entry.kind === "message" && entry.turn === 3 && entry.role === "agent");
  await user.call("agent.session.cancel", { session });
  await turnEnd(user, session, 3);
  await user.call("agent.session.close", { session });
  await stateOf(user, session, "closed");

  const frames = scene.agent().received();
  const methods = new Set(frames.map(({ method }) => method));
  for (const method of ["initialize", "session/new", "session/prompt", "session/set_config_option", "session/cancel"])
    expect(methods).toContain(method);
  expect(methods).toContain("session/close");
  const objections = frames.flatMap((frame) => objectionsToClientFrame(frame, "session/request_permission"));
  expect(objections).toEqual([]);
});
