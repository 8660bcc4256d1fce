// SPDX-License-Identifier: MIT OR Apache-2.0
// Gemini: POST /v1beta/models/MODEL:generateContent and :streamGenerateContent.
import { type Dialect, jsonArguments, type JsonObject, objects, textOf } from "./dialect.ts";
import type { Answer, ConversationEntry } from "./script.ts";

const route = /^\/v1(?:alpha|beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

export const gemini: Dialect = {
  name: "gemini",
  serves: (path) => route.test(path),

  read(body, path) {
    const [, model = "", action] = route.exec(path) ?? [];
    const parts = objects(body["contents"]).flatMap(({ role, parts: all }) =>
      objects(all).map((part) => ({ role, part })),
    );
    const generation = body["generationConfig"] as JsonObject | null | undefined;
    return {
      model,
      effort: "",
      conversation: parts.map(({ role, part }) => conversationEntry(role, part)),
      images: parts.filter(({ part }) => part["inlineData"] !== undefined).length,
      toolNames: objects(body["tools"])
        .flatMap(({ functionDeclarations }) => objects(functionDeclarations))
        .map(({ name }) => textOf(name)),
      stream: action === "streamGenerateContent",
      wantsJson: generation?.["responseMimeType"] === "application/json",
    };
  },

  whole(answer, { model }) {
    const said = answer.text === undefined ? [] : [{ text: answer.text.join("") }];
    return chunk(model, [...thoughts(answer), ...said, ...calls(answer)], "STOP");
  },

  async stream(answer, { model }, events) {
    for (const thought of thoughts(answer)) events.send(chunk(model, [thought]));
    if (!(await events.eachPiece(answer, (text) => events.send(chunk(model, [{ text }]))))) return;
    const last = calls(answer);
    events.send(chunk(model, last.length > 0 ? last : [{ text: "" }], "STOP"));
  },

  refusal({ status, message }) {
    const names: Readonly<Record<number, string>> = { 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED" };
    return { error: { code: status, message, status: names[status] ?? "INTERNAL" } };
  },
};

function conversationEntry(role: unknown, part: JsonObject): ConversationEntry {
  const result = part["functionResponse"] as JsonObject | undefined;
  if (result !== undefined) return { role: "tool", text: JSON.stringify(result["response"]) };
  return { role: role === "model" ? "assistant" : "user", text: textOf(part["text"]) };
}

function chunk(model: string, parts: readonly JsonObject[], finishReason?: string): JsonObject {
  const candidate = { index: 0, content: { role: "model", parts } };
  return {
    candidates: [finishReason === undefined ? candidate : { ...candidate, finishReason }],
    modelVersion: model,
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
  };
}

function thoughts({ thinking }: Answer): JsonObject[] {
  return thinking === undefined ? [] : [{ text: thinking, thought: true }];
}

function calls(answer: Answer): JsonObject[] {
  return (answer.calls ?? []).map((call) => ({
    functionCall: { name: call.name, args: jsonArguments(call, "Gemini") },
  }));
}
