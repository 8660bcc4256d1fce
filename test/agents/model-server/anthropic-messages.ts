// SPDX-License-Identifier: MIT OR Apache-2.0
// Anthropic Messages: POST /v1/messages.
import { type AnswerTo, type Dialect, jsonArguments, type JsonObject, objects, textOf } from "./dialect.ts";
import type { Answer, ConversationEntry, ModelToolCall } from "./script.ts";
import type { EventStream } from "./event-stream.ts";

export const anthropicMessages: Dialect = {
  name: "anthropic-messages",
  serves: (path) => path === "/v1/messages",

  read(body) {
    const messages = objects(body["messages"]);
    return {
      model: textOf(body["model"]),
      effort: textOf((body["output_config"] as JsonObject | null | undefined)?.["effort"]),
      conversation: messages.flatMap(conversationEntries),
      images: messages.flatMap(({ content }) => objects(content)).filter(({ type }) => type === "image").length,
      toolNames: objects(body["tools"]).map(({ name }) => textOf(name)),
      stream: body["stream"] === true,
    };
  },

  whole(answer, to) {
    return { ...message(to), content: blocks(answer, to.id), stop_reason: stopReason(answer) };
  },

  async stream(answer, to, events) {
    const send = (type: string, members: JsonObject): void => events.send({ type, ...members }, type);
    send("message_start", { message: message(to) });
    for (const [index, block] of blocks(answer, to.id).entries()) {
      send("content_block_start", { index, content_block: begun(block) });
      const delta = (members: JsonObject): void => send("content_block_delta", { index, delta: members });
      if (!(await streamBlock(block, answer, events, delta))) return;
      send("content_block_stop", { index });
    }
    send("message_delta", {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: 7 },
    });
    send("message_stop", {});
  },

  refusal({ status, message: words }) {
    const types: Readonly<Record<number, string>> = { 401: "authentication_error", 429: "rate_limit_error" };
    return { type: "error", error: { type: types[status] ?? "api_error", message: words } };
  },
};

type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonObject };

/** Block by block, since the result of a tool and what the user says next may stand in one message. */
function conversationEntries({ role, content }: JsonObject): ConversationEntry[] {
  // A system message may stand within the conversation: Claude says there in which mode it is.
  if (role !== "user" && role !== "assistant" && role !== "system") return [];
  if (typeof content === "string") return [{ role, text: content }];
  return objects(content).map((block) =>
    block["type"] === "tool_result"
      ? { role: "tool", text: resultText(block["content"]) }
      : { role, text: textOf(block["text"]) },
  );
}

function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content)
    .map(({ text }) => textOf(text))
    .join("\n");
}

function message({ id, model }: AnswerTo): JsonObject {
  const usage = { input_tokens: 11, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const empty = { content: [], stop_reason: null, stop_sequence: null };
  return { id: `msg_${id}`, type: "message", role: "assistant", model, ...empty, usage };
}

function blocks(answer: Answer, id: string): Block[] {
  const said: Block[] = [];
  if (answer.thinking !== undefined) said.push({ type: "thinking", thinking: answer.thinking, signature: "scripted" });
  // A hang without text is a text that has begun and says nothing.
  if (answer.text !== undefined || answer.hangs === true)
    said.push({ type: "text", text: answer.text?.join("") ?? "" });
  for (const [at, call] of (answer.calls ?? []).entries()) said.push(toolUse(call, `toolu_${id}_${at}`));
  return said;
}

function toolUse(call: ModelToolCall, id: string): Block {
  return { type: "tool_use", id, name: call.name, input: jsonArguments(call, "Anthropic Messages") };
}

function begun(block: Block): Block {
  switch (block.type) {
    case "thinking":
      return { ...block, thinking: "", signature: "" };
    case "text":
      return { ...block, text: "" };
    case "tool_use":
      return { ...block, input: {} };
  }
}

/** False when the client left. */
async function streamBlock(
  block: Block,
  answer: Answer,
  events: EventStream,
  send: (delta: JsonObject) => void,
): Promise<boolean> {
  switch (block.type) {
    case "thinking":
      send({ type: "thinking_delta", thinking: block.thinking });
      send({ type: "signature_delta", signature: block.signature });
      return true;
    case "text":
      return await events.eachPiece(answer, (text) => send({ type: "text_delta", text }));
    case "tool_use":
      send({ type: "input_json_delta", partial_json: JSON.stringify(block.input) });
      return true;
  }
}

function stopReason(answer: Answer): "tool_use" | "end_turn" {
  return (answer.calls ?? []).length > 0 ? "tool_use" : "end_turn";
}
