// SPDX-License-Identifier: MIT OR Apache-2.0
// OpenAI Chat Completions: POST /v1/chat/completions.
import { contentText, type Dialect, imagesIn, jsonArguments, type JsonObject, objects, textOf } from "./dialect.ts";
import type { Answer, ConversationEntry } from "./script.ts";

export const chatCompletions: Dialect = {
  name: "chat-completions",
  serves: (path) => path === "/v1/chat/completions",

  read(body) {
    return {
      model: textOf(body["model"]),
      effort: textOf(body["reasoning_effort"]),
      conversation: objects(body["messages"]).flatMap(conversationEntry),
      images: objects(body["messages"]).reduce((sum, { content }) => sum + imagesIn(content), 0),
      toolNames: objects(body["tools"]).map((tool) => textOf((tool["function"] as JsonObject | undefined)?.["name"])),
      stream: body["stream"] === true,
    };
  },

  whole(answer, { id, model }) {
    const calls = toolCalls(answer, id);
    const message: JsonObject = { role: "assistant", content: answer.text?.join("") ?? null };
    if (calls.length > 0) message["tool_calls"] = calls;
    const choice = { index: 0, message, finish_reason: finishReason(answer) };
    return { id: `chatcmpl-${id}`, object: "chat.completion", created: 0, model, choices: [choice], usage };
  },

  async stream(answer, { id, model }, events) {
    const chunk = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: 0, model };
    const send = (delta: JsonObject, finish_reason: string | null = null): void =>
      events.send({ ...chunk, choices: [{ index: 0, delta, finish_reason }] });

    send({ role: "assistant", content: "" });
    if (answer.thinking !== undefined) send({ reasoning_content: answer.thinking });
    if (!(await events.eachPiece(answer, (content) => send({ content })))) return;
    for (const [index, call] of toolCalls(answer, id).entries()) {
      // As models do: the name first, the arguments in parts.
      const { name, arguments: text } = call.function;
      const middle = Math.ceil(text.length / 2);
      send({ tool_calls: [{ index, id: call.id, type: call.type, function: { name, arguments: "" } }] });
      send({ tool_calls: [{ index, function: { arguments: text.slice(0, middle) } }] });
      send({ tool_calls: [{ index, function: { arguments: text.slice(middle) } }] });
    }
    send({}, finishReason(answer));
    events.send({ ...chunk, choices: [], usage });
    events.send("[DONE]");
  },

  refusal({ status, message }) {
    return { error: { type: "server_error", code: String(status), message } };
  },
};

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

function conversationEntry(message: JsonObject): ConversationEntry[] {
  const text = contentText(message["content"]);
  switch (message["role"]) {
    case "user":
    case "assistant":
    case "tool":
      return [{ role: message["role"], text }];
    default:
      // Instructions of the agent itself, not of the conversation.
      return [];
  }
}

function toolCalls(answer: Answer, id: string) {
  return (answer.calls ?? []).map((call, at) => ({
    id: `call_${id}_${at}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(jsonArguments(call, "Chat Completions")) },
  }));
}

function finishReason(answer: Answer): "tool_calls" | "stop" {
  return (answer.calls ?? []).length > 0 ? "tool_calls" : "stop";
}
