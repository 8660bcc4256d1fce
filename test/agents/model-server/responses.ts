// SPDX-License-Identifier: MIT OR Apache-2.0
// OpenAI Responses: POST /v1/responses.
import { type AnswerTo, contentText, type Dialect, imagesIn, type JsonObject, objects, textOf } from "./dialect.ts";
import type { EventStream } from "./event-stream.ts";
import type { Answer, ConversationEntry, ModelToolCall } from "./script.ts";

export const responses: Dialect = {
  name: "responses",
  serves: (path) => path === "/v1/responses",

  read(body) {
    const input = body["input"];
    return {
      model: textOf(body["model"]),
      effort: textOf((body["reasoning"] as JsonObject | null | undefined)?.["effort"]),
      conversation:
        typeof input === "string" ? [{ role: "user", text: input }] : objects(input).flatMap(conversationEntry),
      images: objects(input).reduce((sum, { content }) => sum + imagesIn(content), 0),
      toolNames: objects(body["tools"]).map((tool) => textOf(tool["name"] ?? tool["type"])),
      stream: body["stream"] === true,
    };
  },

  whole(answer, to) {
    return response(answer, to, "completed");
  },

  async stream(answer, to, events) {
    let sequence = 0;
    const send: Send = (type, members) => events.send({ type, sequence_number: sequence++, ...members }, type);

    send("response.created", { response: response(answer, to, "in_progress") });
    for (const [output_index, item] of outputItems(answer, to.id).entries()) {
      send("response.output_item.added", { output_index, item: begun(item) });
      const place = { output_index, item_id: item.id };
      if (!(await streamItem(item, answer, events, (type, members) => send(type, { ...place, ...members })))) return;
      send("response.output_item.done", { output_index, item });
    }
    send("response.completed", { response: response(answer, to, "completed") });
  },

  refusal({ status, message }) {
    const type = status === 429 ? "rate_limit_exceeded" : "server_error";
    return { error: { type, code: String(status), message } };
  },
};

type Send = (type: string, members: JsonObject) => void;

type OutputItem =
  | { readonly type: "reasoning"; readonly id: string; readonly summary: readonly { type: string; text: string }[] }
  | {
      readonly type: "message";
      readonly id: string;
      readonly role: "assistant";
      readonly content: readonly OutputText[];
    }
  | ({ readonly type: "function_call"; readonly namespace?: string; readonly arguments: string } & CallItem)
  | ({ readonly type: "custom_tool_call"; readonly input: string } & CallItem);

interface CallItem {
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
}

interface OutputText {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly [];
}

function conversationEntry(item: JsonObject): ConversationEntry[] {
  const type = textOf(item["type"] ?? "message");
  if (type === "message") {
    const { role } = item;
    return role === "user" || role === "assistant" ? [{ role, text: contentText(item["content"]) }] : [];
  }
  if (type === "reasoning" || type.endsWith("_call")) return [{ role: "assistant", text: "" }];
  if (type.endsWith("_output")) return [{ role: "tool", text: contentText(item["output"]) }];
  return [];
}

function response(answer: Answer, { id, model }: AnswerTo, status: "in_progress" | "completed"): JsonObject {
  const completed = status === "completed";
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 0,
    status,
    model,
    output: completed ? outputItems(answer, id) : [],
    usage: completed ? usage : null,
  };
}

const usage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 18,
};

function outputItems(answer: Answer, id: string): OutputItem[] {
  const items: OutputItem[] = [];
  if (answer.thinking !== undefined) {
    items.push({ type: "reasoning", id: `rs_${id}`, summary: [{ type: "summary_text", text: answer.thinking }] });
  }
  // A hang without text is a message that has begun and says nothing.
  if (answer.text !== undefined || answer.hangs === true) {
    const text = answer.text?.join("") ?? "";
    items.push({ type: "message", id: `msg_${id}`, role: "assistant", content: [outputText(text)] });
  }
  for (const [at, call] of (answer.calls ?? []).entries()) items.push(callItem(call, `${id}_${at}`));
  return items;
}

function outputText(text: string): OutputText {
  return { type: "output_text", text, annotations: [] };
}

function callItem(call: ModelToolCall, id: string): OutputItem {
  const common = { id: `fc_${id}`, call_id: `call_${id}`, name: call.name };
  if ("input" in call) return { type: "custom_tool_call", ...common, input: call.input };
  const { namespace } = call;
  const text = JSON.stringify(call.arguments);
  return { type: "function_call", ...common, ...(namespace === undefined ? {} : { namespace }), arguments: text };
}

/** The item as it is when it begins: its text is still to come. */
function begun(item: OutputItem): OutputItem {
  switch (item.type) {
    case "reasoning":
      return { ...item, summary: [] };
    case "message":
      return { ...item, content: [] };
    case "function_call":
      return { ...item, arguments: "" };
    case "custom_tool_call":
      return { ...item, input: "" };
  }
}

/** False when the client left. */
async function streamItem(item: OutputItem, answer: Answer, events: EventStream, send: Send): Promise<boolean> {
  switch (item.type) {
    case "reasoning":
      for (const [summary_index, part] of item.summary.entries()) {
        send("response.reasoning_summary_part.added", { summary_index, part: { ...part, text: "" } });
        send("response.reasoning_summary_text.delta", { summary_index, delta: part.text });
        send("response.reasoning_summary_text.done", { summary_index, text: part.text });
        send("response.reasoning_summary_part.done", { summary_index, part });
      }
      return true;
    case "message": {
      const part = outputText(answer.text?.join("") ?? "");
      const content_index = 0;
      send("response.content_part.added", { content_index, part: outputText("") });
      const toldAll = await events.eachPiece(answer, (delta) =>
        send("response.output_text.delta", { content_index, delta }),
      );
      if (!toldAll) return false;
      send("response.output_text.done", { content_index, text: part.text });
      send("response.content_part.done", { content_index, part });
      return true;
    }
    case "function_call":
      send("response.function_call_arguments.delta", { delta: item.arguments });
      send("response.function_call_arguments.done", { arguments: item.arguments });
      return true;
    case "custom_tool_call":
      send("response.custom_tool_call_input.delta", { delta: item.input });
      send("response.custom_tool_call_input.done", { input: item.input });
      return true;
  }
}
