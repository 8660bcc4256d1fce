// SPDX-License-Identifier: MIT OR Apache-2.0
// The scripted agent's behaviour where its scenario has no rule: a minimal correct agent.
import type { Conversation } from "./conversation.ts";
import type { Json, JsonObject, Scenario, Step } from "./scenario.ts";

/** Returns the steps of a correct agent for this frame. */
export function correctSteps(
  method: string,
  frame: JsonObject,
  scenario: Scenario,
  conversation: Conversation,
): readonly Step[] {
  const isRequest = frame["id"] !== undefined;
  switch (method) {
    case "initialize":
      return [{ reply: { ...capabilities, ...scenario.initialize } }];
    case "session/new":
      return [{ reply: openSession(scenario, conversation) }];
    case "session/prompt":
      return [{ text: "ok" }, { reply: { stopReason: "end_turn" } }];
    case "session/cancel":
      return conversation.promptOf(sessionOf(frame))
        ? [{ abortPrompt: true }, { reply: { stopReason: "cancelled" }, to: "$promptId" }]
        : [];
    case "session/set_config_option":
      return [{ reply: { configOptions: setOption(frame, conversation) } }];
    case "session/list":
      return [{ reply: { sessions: [] } }];
    case "session/set_mode":
    case "session/close":
    case "session/delete":
    case "authenticate":
      return [{ reply: {} }];
    default:
      return isRequest ? [{ error: { code: -32601, message: "method not found" } }] : [];
  }
}

export const garbageSteps: readonly Step[] = [{ error: { code: -32700, message: "parse error" }, to: null }];

export function sessionOf(frame: JsonObject): Json | undefined {
  return membersOf(frame["params"])["sessionId"];
}

const capabilities: JsonObject = {
  protocolVersion: 1,
  agentInfo: { name: "scripted", version: "1.0.0" },
  agentCapabilities: { sessionCapabilities: { list: {}, close: {}, delete: {} } },
  authMethods: [],
};

function openSession(scenario: Scenario, conversation: Conversation): JsonObject {
  const session = { sessionId: conversation.nextSessionId(), ...scenario.session };
  const options = scenario.session?.["configOptions"];
  if (Array.isArray(options)) conversation.configOptions = options.map(membersOf);
  return session;
}

function setOption(frame: JsonObject, conversation: Conversation): readonly JsonObject[] {
  const { configId, value } = membersOf(frame["params"]);
  conversation.configOptions = conversation.configOptions.map((option) =>
    option["id"] === configId ? { ...option, currentValue: value } : option,
  );
  return conversation.configOptions;
}

function membersOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
