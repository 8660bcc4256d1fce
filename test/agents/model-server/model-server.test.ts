// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { chooseStep, type ConversationEntry, type Scenario } from "./script.ts";

const deadlineMs = 10_000;

const script: readonly Scenario[] = [
  { words: "say hello", steps: [{ thinking: "hm", text: ["Hello ", "there."] }] },
  {
    words: "use a tool",
    steps: [
      { text: ["I will."], calls: [{ name: "write", namespace: "mcp__x", arguments: { path: "a", text: "ä\n" } }] },
      { text: ["Done."] },
    ],
  },
  { words: "patch it", steps: [{ calls: [{ name: "apply_patch", input: "*** Begin Patch" }] }] },
  { words: "never end", steps: [{ text: ["Once"], hangs: true }] },
  { words: "say nothing", steps: [{ hangs: true }] },
  { words: "be slow", steps: [{ text: ["a", "b"], pieceDelayMs: 60_000 }] },
  { words: "go wrong", steps: [{ status: 429, message: "slow down" }] },
];

test("Chat Completions streams text in the script's pieces and ends with [DONE]", async () => {
  await using server = await startModelServer(script);
  const events = dataOf(await (await askChat(server, [user("say hello")])).text());
  expect(events.at(-1)).toBe("[DONE]");
  const deltas = events.slice(0, -1).map((event) => JSON.parse(event).choices[0]?.delta);
  expect(deltas.map((delta) => delta?.content).filter(Boolean)).toEqual(["Hello ", "there."]);
  expect(deltas.map((delta) => delta?.reasoning_content).filter(Boolean)).toEqual(["hm"]);
});

test("Chat Completions sends a tool call's arguments in parts that join to the scripted JSON", async () => {
  await using server = await startModelServer(script);
  const events = dataOf(await (await askChat(server, [user("use a tool")])).text())
    .slice(0, -1)
    .map((event) => JSON.parse(event));
  const parts = events.flatMap((event) => event.choices[0]?.delta.tool_calls ?? []);
  expect(parts[0].function.name).toBe("write");
  const text = parts.map((part) => part.function.arguments).join("");
  expect(JSON.parse(text)).toEqual({ path: "a", text: "ä\n" });
  expect(events.map((event) => event.choices[0]?.finish_reason).filter(Boolean)).toEqual(["tool_calls"]);
});

test("Chat Completions gives the same answer whole to a request that does not stream", async () => {
  await using server = await startModelServer(script);
  const answer = await jsonOf(askChat(server, [user("use a tool")], { stream: false }));
  expect(answer["choices"][0].finish_reason).toBe("tool_calls");
  expect(answer["choices"][0].message.content).toBe("I will.");
  expect(JSON.parse(answer["choices"][0].message.tool_calls[0].function.arguments)).toEqual({ path: "a", text: "ä\n" });
});

test("Responses streams every item between added and done, numbered without a gap", async () => {
  await using server = await startModelServer(script);
  const events = dataOf(await (await askResponses(server, "say hello")).text()).map((event) => JSON.parse(event));
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
  expect(events[0].type).toBe("response.created");
  expect(events.at(-1).type).toBe("response.completed");
  expect(events.filter((event) => event.type === "response.output_text.delta").map((event) => event.delta)).toEqual([
    "Hello ",
    "there.",
  ]);
  const done = events.filter((event) => event.type === "response.output_item.done").map((event) => event.item);
  expect(done.map((item) => item.type)).toEqual(["reasoning", "message"]);
  expect(events.at(-1).response.output).toEqual(done);
});

test("Responses tells a call with arguments from a call with free text, and keeps the namespace", async () => {
  await using server = await startModelServer(script);
  const items = async (words: string) => (await jsonOf(askResponses(server, words, { stream: false })))["output"];
  const [, call] = await items("use a tool");
  expect(call).toMatchObject({ type: "function_call", name: "write", namespace: "mcp__x" });
  expect(JSON.parse(call.arguments)).toEqual({ path: "a", text: "ä\n" });
  expect((await items("patch it"))[0]).toMatchObject({ type: "custom_tool_call", input: "*** Begin Patch" });
});

test("Anthropic Messages streams each block between its start and its stop, and ends with message_stop", async () => {
  await using server = await startModelServer(script);
  const events = eventsOf(await (await askAnthropic(server, "say hello")).text());
  expect(events[0]?.["type"]).toBe("message_start");
  expect(events.at(-1)).toEqual({ type: "message_stop" });
  const deltas = events.filter(({ type }) => type === "content_block_delta").map(({ delta }) => delta);
  expect(deltas.map(({ type }) => type)).toEqual(["thinking_delta", "signature_delta", "text_delta", "text_delta"]);
  expect(deltas.map(({ text }) => text).filter(Boolean)).toEqual(["Hello ", "there."]);
  expect(events.find(({ type }) => type === "message_delta")?.["delta"].stop_reason).toBe("end_turn");
});

test("Anthropic Messages sends a tool call's arguments as JSON, and whole where nothing streams", async () => {
  await using server = await startModelServer(script);
  const events = eventsOf(await (await askAnthropic(server, "use a tool")).text());
  const json = events.map(({ delta }) => delta?.partial_json).filter(Boolean);
  expect(JSON.parse(json.join(""))).toEqual({ path: "a", text: "ä\n" });
  const answer = await jsonOf(askAnthropic(server, "use a tool", { stream: false }));
  expect(answer["stop_reason"]).toBe("tool_use");
  expect(answer["content"].map(({ type }: { type: string }) => type)).toEqual(["text", "tool_use"]);
});

test("Anthropic Messages reads tool results, system messages and images within a conversation", async () => {
  await using server = await startModelServer(script);
  const content = [
    { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "ok" }] },
    { type: "text", text: "say hello" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "" } },
  ];
  const messages = [user("use a tool"), { role: "assistant", content: "I will." }, { role: "user", content }];
  const body = { model: "m", stream: true, tools: [{ name: "shell" }], messages: [...messages, system("be brief")] };
  await (await post(server, "/v1/messages?beta=true", body, undefined)).text();
  expect(server.requests[0]).toMatchObject({ words: "say hello", step: 0, images: 1, toolNames: ["shell"] });
  expect(server.requests[0]?.conversation.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "user",
    "user",
    "system",
  ]);
});

test("Gemini streams thoughts, text in the script's pieces, and calls, and takes the model from the path", async () => {
  await using server = await startModelServer(script);
  const said = eventsOf(await (await askGemini(server, "say hello")).text()).flatMap(partsOf);
  expect(said).toEqual([{ text: "hm", thought: true }, { text: "Hello " }, { text: "there." }, { text: "" }]);
  const called = eventsOf(await (await askGemini(server, "use a tool")).text());
  expect(called.flatMap(partsOf).at(-1)).toEqual({
    functionCall: { name: "write", args: { path: "a", text: "ä\n" } },
  });
  expect(called.at(-1)?.["candidates"][0].finishReason).toBe("STOP");
  expect(server.requests.map(({ model, words }) => [model, words])).toEqual([
    ["m-1", "say hello"],
    ["m-1", "use a tool"],
  ]);
});

test("Gemini answers a request for JSON with an empty object, in no scenario", async () => {
  await using server = await startModelServer(script);
  const generationConfig = { responseMimeType: "application/json" };
  const contents = [{ role: "user", parts: [{ text: "say hello" }] }];
  const answer = await jsonOf(
    post(server, "/v1beta/models/m:generateContent", { contents, generationConfig }, undefined),
  );
  expect(partsOf(answer)).toEqual([{ text: "{}" }]);
  expect(server.requests[0]?.words).toBeNull();
});

test("a scenario answers with its next step once its first answer is in the conversation", async () => {
  await using server = await startModelServer(script);
  const body = await askChat(server, [
    user("use a tool"),
    { role: "assistant", content: "I will." },
    { role: "tool", content: "ok" },
  ]);
  expect(await body.text()).toContain("Done.");
});

test("what the model was asked is recorded with its conversation, tools, scenario and step", async () => {
  await using server = await startModelServer(script);
  await (await askResponses(server, "please say hello")).text();
  await server.until((request) => request.state === "answered", deadlineMs);
  expect(server.requests).toEqual([
    {
      dialect: "responses",
      model: "m",
      effort: "low",
      conversation: [{ role: "user", text: "please say hello" }],
      images: 0,
      toolNames: ["shell"],
      words: "say hello",
      step: 0,
      state: "answered",
    },
  ]);
});

test("a request that offers no tools gets a title and takes no step", async () => {
  await using server = await startModelServer(script);
  const answer = await askChat(server, [user("use a tool")], { tools: [] });
  expect(await answer.text()).toContain("A scripted title");
  expect(server.requests[0]?.words).toBeNull();
});

test.each(["never end", "say nothing", "be slow"])(
  'the stream of "%s" stays open until its client leaves, in every dialect',
  async (words) => {
    await using server = await startModelServer(script);
    for (const [dialect, ask] of [
      ["responses", askResponses],
      ["chat-completions", askChatText],
      ["anthropic-messages", askAnthropic],
      ["gemini", askGemini],
    ] as const) {
      const client = new AbortController();
      await ask(server, words, { signal: client.signal });
      const mine = await server.until((request) => request.dialect === dialect, deadlineMs);
      expect(mine.state).toBe("open");
      client.abort();
      await server.until((request) => request.dialect === dialect && request.state === "client left", deadlineMs);
    }
  },
);

test("closing the server ends a stream that hangs", async () => {
  const server = await startModelServer(script);
  const { body } = await askChatText(server, "never end");
  const reader = body?.getReader();
  await reader?.read();
  await server.close();
  await expect(readToEnd(reader)).rejects.toThrow("terminated");
  await expect(fetch(`http://127.0.0.1:${server.port}/v1/models`)).rejects.toThrow("fetch failed");
});

test("a scripted refusal is told with its status in every dialect", async () => {
  await using server = await startModelServer(script);
  for (const ask of [askResponses, askChatText, askAnthropic, askGemini]) {
    const response = ask(server, "go wrong");
    expect((await response).status).toBe(429);
    expect((await jsonOf(response))["error"].message).toBe("slow down");
  }
  expect(server.requests.map((request) => request.state)).toEqual(["refused", "refused", "refused", "refused"]);
});

test("a request to another host or an unknown path is refused and remembered", async () => {
  await using server = await startModelServer(script);
  expect((await fetch(`http://127.0.0.1:${server.port}/v2/things`)).status).toBe(404);
  expect(server.strays).toEqual(["GET /v2/things"]);
  expect((await fetch(`http://127.0.0.1:${server.port}/v1/responses`, { method: "POST", body: "[1]" })).status).toBe(
    400,
  );
});

test("a scenario played later answers from then on", async () => {
  await using server = await startModelServer();
  expect(await (await askChatText(server, "sing")).text()).toContain("no scenario");
  server.play({ words: "sing", steps: [{ text: ["La"] }] });
  expect(await (await askChatText(server, "sing")).text()).toContain("La");
});

test("waiting for a request that never comes ends at its deadline and says what there was", async () => {
  await using server = await startModelServer(script);
  await (await askChatText(server, "say hello")).text();
  await expect(server.until(({ words }) => words === "x", 10)).rejects.toThrow(/within 10 ms.*say hello step 0/);
});

test("a script that a dialect cannot say fails the server, not silently", async () => {
  const server = await startModelServer(script);
  const response = await askChat(server, [user("patch it")], { stream: false });
  expect(response.status).toBe(500);
  await expect(server.close()).rejects.toThrow("the model server failed");
});

test("the step is the number of answers since the last words, however many entries each answer has", () => {
  const answer = fc.array(fc.constant<ConversationEntry>({ role: "assistant", text: "use a tool" }), {
    minLength: 1,
    maxLength: 4,
  });
  const result = fc.constant<ConversationEntry>({ role: "tool", text: "say hello" });
  const steps = Array.from({ length: 6 }, (_, at) => ({ text: [String(at)] })) as [
    { text: string[] },
    ...{ text: string[] }[],
  ];
  fc.assert(
    fc.property(
      fc.array(fc.tuple(answer, result), { maxLength: 5 }),
      fc.array(answer, { maxLength: 3 }),
      (turn, before) => {
        const conversation: ConversationEntry[] = [
          { role: "user", text: "say hello" },
          ...before.flat(),
          { role: "user", text: "not say hello but now: count" },
          ...turn.flatMap(([entries, told]) => [...entries, told]),
        ];
        const counting = [...script, { words: "count", steps }];
        expect(chooseStep(counting, conversation, true)).toMatchObject({ words: "count", index: turn.length });
      },
    ),
  );
});

interface Asking {
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly signal?: AbortSignal;
}

const user = (content: string) => ({ role: "user", content });
const system = (content: string) => ({ role: "system", content });

function askChatText(server: ModelServer, words: string, asking: Asking = {}): Promise<Response> {
  return askChat(server, [user(words)], asking);
}

function askChat(
  server: ModelServer,
  messages: readonly unknown[],
  { stream = true, tools, signal }: Asking = {},
): Promise<Response> {
  const body = { model: "m", messages, stream, tools: tools ?? [{ type: "function", function: { name: "shell" } }] };
  return post(server, "/v1/chat/completions", body, signal);
}

function askResponses(
  server: ModelServer,
  words: string,
  { stream = true, tools, signal }: Asking = {},
): Promise<Response> {
  const input = [{ type: "message", role: "user", content: [{ type: "input_text", text: words }] }];
  const reasoning = { effort: "low" };
  const body = { model: "m", reasoning, input, stream, tools: tools ?? [{ type: "function", name: "shell" }] };
  return post(server, "/v1/responses", body, signal);
}

function askAnthropic(server: ModelServer, words: string, { stream = true, signal }: Asking = {}): Promise<Response> {
  const body = { model: "m", messages: [user(words)], stream, tools: [{ name: "shell" }] };
  return post(server, "/v1/messages", body, signal);
}

function askGemini(server: ModelServer, words: string, { signal }: Asking = {}): Promise<Response> {
  const body = {
    contents: [{ role: "user", parts: [{ text: words }] }],
    tools: [{ functionDeclarations: [{ name: "shell" }] }],
  };
  return post(server, "/v1beta/models/m-1:streamGenerateContent?alt=sse", body, signal);
}

function post(server: ModelServer, path: string, body: unknown, signal: AbortSignal | undefined): Promise<Response> {
  const init: RequestInit = { method: "POST", body: JSON.stringify(body) };
  if (signal !== undefined) init.signal = signal;
  return fetch(`http://127.0.0.1:${server.port}${path}`, init);
}

/** What came as JSON is looked at without a type: a wrong shape fails the expectation. */
// oxlint-disable-next-line typescript/no-explicit-any
async function jsonOf(response: Promise<Response>): Promise<Record<string, any>> {
  // oxlint-disable-next-line typescript/no-explicit-any
  return (await (await response).json()) as Record<string, any>;
}

async function readToEnd(reader: { read(): Promise<{ done: boolean }> } | undefined): Promise<void> {
  if (reader === undefined) return;
  for (;;) if ((await reader.read()).done) return;
}

// oxlint-disable-next-line typescript/no-explicit-any
function eventsOf(stream: string): Record<string, any>[] {
  // oxlint-disable-next-line typescript/no-explicit-any
  return dataOf(stream).map((data) => JSON.parse(data) as Record<string, any>);
}

// oxlint-disable-next-line typescript/no-explicit-any
function partsOf(chunk: Record<string, any>): unknown[] {
  return chunk["candidates"][0].content.parts;
}

function dataOf(stream: string): string[] {
  return stream
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length));
}
