// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { newSession, opened, story, textChunk, underTest, update } from "./testing/client-under-test.ts";

const settled = (): Promise<void> => Promise.resolve();
const text = (value: string) => ({ type: "text", text: value });

test.for(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "a_newer_reason"])(
  "the stop reason %s is unchanged",
  (stopReason) => {
    const { agent, client, done, outcomes } = opened();
    client.prompt([text("hi")], done("prompt"));
    agent.say(agent.answer("session/prompt", { stopReason }));
    expect(outcomes("prompt")).toEqual([{ ok: true, value: { stopReason } }]);
  },
);

test("the usage of a turn is kept, and a turn that ends without a reason is a failure", () => {
  const { agent, client, done, outcomes } = opened();
  client.prompt([text("hi")], done("prompt"));
  agent.say(agent.answer("session/prompt", { stopReason: "end_turn", usage: { totalTokens: 3 } }));
  client.prompt([text("hi")], done("prompt"));
  agent.say(agent.answer("session/prompt", {}));
  expect(outcomes("prompt")).toMatchObject([
    { value: { usage: { totalTokens: 3 } } },
    { failure: { code: "AGENT_PROTOCOL" } },
  ]);
});

test.each<[unknown, object]>([
  [{ inputTokens: 1, outputTokens: -1, totalTokens: "3", thoughtTokens: null }, { usage: { inputTokens: 1 } }],
  [{ cachedReadTokens: 2 ** 53, cachedWriteTokens: 1.5, other: 4 }, {}],
  ["many", {}],
  [null, {}],
])("of the usage %j only whole counts are kept", (usage, kept) => {
  const { agent, client, done, outcomes } = opened();
  client.prompt([text("hi")], done("prompt"));
  agent.say(agent.answer("session/prompt", { stopReason: "end_turn", usage }));
  expect(outcomes("prompt")).toEqual([{ ok: true, value: { stopReason: "end_turn", ...kept } }]);
});

test("the updates of one read and the answer after them arrive in order, then one end of the batch", () => {
  const { agent, client, done, heard } = opened();
  client.prompt([text("hi")], done("prompt"));
  agent.say(textChunk("a"), textChunk("b"), agent.answer("session/prompt", { stopReason: "end_turn" }), textChunk("c"));
  expect(story(heard)).toEqual(["a", "b", "done prompt", "c", "|"]);
});

test("cancel is a notification, after which the prompt is still awaited and permissions stay open", () => {
  const { agent, client, done, outcomes } = opened();
  client.prompt([text("hi")], done("prompt"));
  agent.say({
    jsonrpc: "2.0",
    id: 0,
    method: "session/request_permission",
    params: { sessionId: "s", toolCall: { toolCallId: "t" }, options: [] },
  });
  client.cancel();
  expect(agent.frames.at(-1)).toEqual({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s" } });
  expect(outcomes("prompt")).toEqual([]);
  agent.say(agent.answer("session/prompt", { stopReason: "cancelled" }));
  expect(outcomes("prompt")).toEqual([{ ok: true, value: { stopReason: "cancelled" } }]);
});

test("an error after a cancel is reported as that error", () => {
  const { agent, client, done, outcomes } = opened();
  client.prompt([text("hi")], done("prompt"));
  client.cancel();
  agent.say(agent.refusal("session/prompt", { code: -32800, message: "cancelled", data: { a: 1 } }));
  expect(outcomes("prompt")).toMatchObject([
    { failure: { code: "AGENT_ERROR", rpc: { code: -32800, message: "cancelled", data: { a: 1 } } } },
  ]);
});

test("updates after a cancel and after the answer are emitted", () => {
  const { agent, client, done, heard } = opened();
  client.prompt([text("hi")], done("prompt"));
  client.cancel();
  agent.say(update("tool_call_update", { toolCallId: "t", status: "failed" }));
  agent.say(agent.answer("session/prompt", { stopReason: "cancelled" }));
  agent.say(textChunk("late"));
  expect(story(heard)).toEqual(["tool_call", "|", "done prompt", "|", "late", "|"]);
});

test("an image is sent only to an agent that supports images", async () => {
  const image = { type: "image", data: "AA==", mimeType: "image/png" };
  const taking = opened({ promptCapabilities: { image: true } });
  taking.client.prompt([image], taking.done("prompt"));
  expect(taking.agent.sent("session/prompt")).toEqual([{ sessionId: "s", prompt: [image] }]);
  const other = opened();
  other.client.prompt([text("look"), image], other.done("prompt"));
  await settled();
  expect(other.outcomes("prompt")).toMatchObject([
    { failure: { code: "UNSUPPORTED", message: "Block 2: this agent does not take images" } },
  ]);
  expect(other.agent.sent("session/prompt")).toEqual([]);
});

test("an empty prompt is refused and not sent", async () => {
  const { agent, client, done, outcomes } = opened();
  client.prompt([], done("prompt"));
  expect(outcomes("prompt")).toEqual([]);
  await settled();
  expect(outcomes("prompt")).toMatchObject([{ failure: { code: "UNSUPPORTED", message: "The prompt is empty" } }]);
  expect(agent.sent("session/prompt")).toEqual([]);
});

test("a prompt has no timeout", () => {
  const { client, done, timers } = opened();
  client.prompt([text("think long")], done("prompt"));
  expect(timers).toEqual([]);
});

test("an agent's error is truncated", () => {
  const limits = { errorMessageCharactersMax: 10, errorDataCharactersMax: 20 };
  const { agent, client, done, outcomes } = opened({}, {}, { limits });
  client.prompt([text("hi")], done("prompt"));
  const data = { text: "y".repeat(1000) };
  agent.say(agent.refusal("session/prompt", { code: -1, message: "x".repeat(1000), data }));
  expect(outcomes("prompt")).toMatchObject([
    { failure: { rpc: { code: -1, message: "xxxxxxxxxx", data: '{"text":"yyyyyyyyyyy' } } },
  ]);
});

test("lone surrogates of a prompt are sent as U+FFFD", () => {
  const { agent, client, done } = opened();
  client.prompt([text("a\ud800b")], done("prompt"));
  expect(agent.sent("session/prompt")).toMatchObject([{ prompt: [{ text: "a\u{fffd}b" }] }]);
});

test("a request from within a sink's callback is answered after the callback has returned", async () => {
  const { agent, client, done, heard } = opened();
  client.prompt([text("hi")], () => {
    client.prompt([], done("empty"));
    heard.push({ done: "prompt", outcome: { ok: true, value: 1 } });
  });
  agent.say(agent.answer("session/prompt", { stopReason: "end_turn" }), textChunk("after"));
  await settled();
  expect(story(heard)).toEqual(["done prompt", "after", "|", "done empty", "|"]);
});

const mode = { id: "mode", name: "Mode", category: "mode", type: "select", currentValue: "ask" };
const modeOption = {
  ...mode,
  options: [
    { value: "ask", name: "Ask" },
    { value: "auto", name: "Auto" },
  ],
};
const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "auto", name: "Auto" },
  ],
};
const loud = { id: "loud", name: "Loud", type: "boolean", currentValue: false };

test("a mode without a config option is set with session/set_mode, and the new list is returned", () => {
  const { agent, client, done, outcomes } = opened({}, { modes, configOptions: [loud] });
  client.setOption("mode", "auto", done("set"));
  expect(agent.sent("session/set_mode")).toEqual([{ sessionId: "s", modeId: "auto" }]);
  agent.say(agent.answer("session/set_mode", null));
  expect(outcomes("set")).toMatchObject([
    {
      ok: true,
      value: {
        options: [
          { option: "mode", value: "auto" },
          { option: "loud", value: false },
        ],
      },
    },
  ]);
});

const models = {
  currentModelId: "small[low]",
  availableModels: [
    { modelId: "small[low]", name: "Small" },
    { modelId: "large[high]", name: "Large" },
  ],
};

test("a model without a config option is set with session/set_model, and one that is not listed is not sent", async () => {
  const { agent, client, done, outcomes } = opened({}, { models, configOptions: [loud] });
  client.setOption("model", "huge", done("refused"));
  client.setOption("model", "large[high]", done("set"));
  expect(agent.sent("session/set_model")).toEqual([{ sessionId: "s", modelId: "large[high]" }]);
  agent.say(agent.answer("session/set_model", {}));
  await expect.poll(() => outcomes("refused")).toMatchObject([{ ok: false, failure: { code: "UNSUPPORTED" } }]);
  const options = [
    { option: "model", value: "large[high]" },
    { option: "loud", value: false },
  ];
  expect(outcomes("set")).toMatchObject([{ ok: true, value: { options } }]);
});

test("a config option for the mode is set as an option, and the agent's list replaces ours", () => {
  const { agent, client, done, outcomes } = opened({}, { modes, configOptions: [modeOption, loud] });
  client.setOption("mode", "auto", done("set"));
  expect(agent.sent("session/set_config_option")).toEqual([{ sessionId: "s", configId: "mode", value: "auto" }]);
  const told = [{ ...modeOption, currentValue: "auto" }];
  agent.say(agent.answer("session/set_config_option", { configOptions: told }));
  expect(outcomes("set")).toMatchObject([{ ok: true, value: { options: [{ option: "mode", value: "auto" }] } }]);
});

test("a boolean option is sent with its type, and is set even if the agent returns no list", () => {
  const { agent, client, done, outcomes } = opened({}, { configOptions: [loud] });
  client.setOption("loud", true, done("set"));
  expect(agent.sent("session/set_config_option")).toEqual([
    { sessionId: "s", configId: "loud", type: "boolean", value: true },
  ]);
  agent.say(agent.answer("session/set_config_option", {}));
  expect(outcomes("set")).toMatchObject([{ ok: true, value: { options: [{ option: "loud", value: true }] } }]);
});

test("an unknown option, or a value of another type, is refused and not sent", async () => {
  const { agent, client, done, outcomes } = opened({}, { modes, configOptions: [loud] });
  client.setOption("model", "x", done("set"));
  client.setOption("loud", "yes", done("set"));
  client.setOption("mode", true, done("set"));
  await settled();
  expect(outcomes("set")).toMatchObject([
    { failure: { code: "UNSUPPORTED", message: 'There is no option "model" (options: mode, loud)' } },
    { failure: { code: "UNSUPPORTED" } },
    { failure: { code: "UNSUPPORTED" } },
  ]);
  expect(agent.frames).toHaveLength(2);
});

test("a refused change leaves the options as they were", () => {
  const { agent, client, done, outcomes, updates } = opened({}, { modes });
  client.setOption("mode", "auto", done("set"));
  agent.say(agent.refusal("session/set_mode", { code: -32602, message: "unknown mode" }));
  expect(outcomes("set")).toMatchObject([{ failure: { code: "AGENT_ERROR" } }]);
  agent.say(update("config_option_update", { configOptions: [] }));
  expect(updates()).toMatchObject([{ kind: "options", options: [{ option: "mode", value: "ask" }] }]);
});

test.for(["currentModeId", "modeId"])("current_mode_update with %s changes the option mode", (member) => {
  const { agent, updates } = opened({}, { modes });
  agent.say(update("current_mode_update", { [member]: "auto" }));
  expect(updates()).toMatchObject([{ kind: "options", options: [{ option: "mode", value: "auto" }] }]);
});

test("a mode of an agent without modes is kept as received, and one without an id is a fault", () => {
  const { agent, updates, faults } = opened();
  agent.say(update("current_mode_update", { currentModeId: "auto" }), update("current_mode_update", {}));
  expect(updates()).toMatchObject([
    { kind: "extension", method: "session/update:current_mode_update", data: { currentModeId: "auto" } },
    { kind: "extension", method: "session/update:current_mode_update" },
  ]);
  expect(faults()).toEqual(["invalid-update"]);
});

test("config_option_update replaces the list and drops options of an unknown type", () => {
  const { agent, updates } = opened({}, { configOptions: [loud, modeOption] });
  const slider = { id: "x", name: "X", type: "slider", currentValue: 3 };
  agent.say(update("config_option_update", { configOptions: [slider, { ...loud, currentValue: true }] }));
  expect(updates()).toEqual([
    { kind: "options", options: [{ option: "loud", name: "Loud", type: "boolean", value: true }] },
  ]);
});

test.each<[unknown, object]>([
  [{ outcome: "injected" }, { ok: true, value: "injected" }],
  [
    { outcome: "promptRequired", reason: "noRunningTurn" },
    { ok: true, value: "promptRequired" },
  ],
  [{ outcome: "perhaps" }, { ok: false, failure: { code: "AGENT_PROTOCOL" } }],
  [null, { ok: false, failure: { code: "AGENT_PROTOCOL" } }],
])(
  "a prompt for the running turn goes out as the extension wants it, and the answer %j is decoded",
  (result, outcome) => {
    const { agent, client, done, outcomes } = underTest();
    client.initialize(done("initialize"));
    agent.say(agent.answer("initialize", { protocolVersion: 1, _meta: { steering: { supported: true } } }));
    client.open(newSession, done("open"));
    agent.say(agent.answer("session/new", { sessionId: "s" }));
    client.prompt([text("hi")], done("prompt"));
    client.steer([text("wait")], done("steer"));
    expect(agent.sent("_session/steering")).toEqual([
      { sessionId: "s", prompt: [text("wait")], _meta: { steering: { idleBehavior: "promptRequired" } } },
    ]);
    agent.say(agent.answer("_session/steering", result));
    expect(outcomes("steer")).toMatchObject([outcome]);
  },
);

test("an agent that does not offer steering is not asked", async () => {
  const { agent, client, done, outcomes } = opened();
  client.steer([text("wait")], done("steer"));
  await settled();
  expect(outcomes("steer")).toMatchObject([{ ok: false, failure: { code: "UNSUPPORTED" } }]);
  expect(agent.sent("_session/steering")).toEqual([]);
});
