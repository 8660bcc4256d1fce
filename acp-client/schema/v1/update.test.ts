// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeContentBlock, decodeContentBlockBySchema } from "./content.ts";
import { decodeToolCallUpdate, decodeToolCallUpdateBySchema } from "./tool-call.ts";
import { decodeMessageBySchema, decodeUpdate } from "./update.ts";

const meta = { traceparent: "t" };

test.for([
  ["user_message_chunk", "user"],
  ["agent_message_chunk", "agent"],
  ["agent_thought_chunk", "thought"],
])("%s is a chunk of a message of the %s", ([variant = "", role]) => {
  const content = { type: "text", text: "a\u0000b" };
  expect(decodeUpdate({ sessionUpdate: variant, content, messageId: "m", _meta: meta })).toEqual({
    kind: "message",
    role,
    messageId: "m",
    content,
    append: true,
    meta,
  });
});

test("a chunk whose id is missing, null or not a string has none", () => {
  for (const id of [{}, { messageId: null }, { messageId: 5 }]) {
    const content = { type: "text", text: "x" };
    expect(decodeUpdate({ sessionUpdate: "agent_message_chunk", content, ...id })).toEqual({
      kind: "message",
      role: "agent",
      content,
      append: true,
    });
  }
});

test("blocks of known and unknown types are kept", () => {
  for (const content of [
    { type: "image", data: "AA==", mimeType: "image/png" },
    { type: "audio", data: "AA==", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///a", name: "a", size: 3 },
    { type: "resource", resource: { uri: "file:///a", text: "x", mimeType: null } },
    { type: "resource", resource: { uri: "file:///a", blob: "AA==" } },
    { type: "hologram", depth: { x: 1 } },
  ]) {
    expect(decodeUpdate({ sessionUpdate: "agent_message_chunk", content })).toMatchObject({ content });
  }
});

test("a tool call has a default kind and status", () => {
  const call = { sessionUpdate: "tool_call", toolCallId: "t", title: "T" };
  expect(decodeUpdate(call)).toEqual({
    kind: "tool_call",
    call: { toolCallId: "t", title: "T", kind: "other", status: "pending" },
  });
  expect(decodeUpdate({ ...call, kind: "edit", status: "completed" })).toMatchObject({
    call: { kind: "edit", status: "completed" },
  });
});

test("in a tool call update absent and null members are absent, and lists replace the old ones", () => {
  const content = [{ type: "diff", path: "/a", oldText: null, newText: "x" }];
  expect(
    decodeUpdate({ sessionUpdate: "tool_call_update", toolCallId: "t", title: null, status: "failed", content }),
  ).toEqual({ kind: "tool_call", call: { toolCallId: "t", status: "failed", content } });
  expect(
    decodeUpdate({ sessionUpdate: "tool_call_update", toolCallId: "t", kind: null, locations: [], rawInput: null }),
  ).toEqual({ kind: "tool_call", call: { toolCallId: "t", locations: [] } });
});

test("invalid items of a tool call's lists are dropped, and invalid members of valid items are absent", () => {
  const decoded = decodeUpdate({
    sessionUpdate: "tool_call_update",
    toolCallId: "t",
    content: [
      null,
      "text",
      { path: "/no type" },
      { type: "diff", path: "/no text" },
      { type: "terminal" },
      { type: "content", content: { type: "text" } },
      { type: "content", content: { type: "text", text: "kept" } },
      { type: "diff", path: "/a", oldText: 5, newText: "x" },
      { type: "terminal", terminalId: "1" },
      { type: "session", sessionId: "child" },
    ],
    locations: [{ path: "/a", line: -1 }, { line: 1 }, { path: "/b", line: 0 }],
    rawOutput: { any: ["thing"] },
  });
  expect(decoded).toEqual({
    kind: "tool_call",
    call: {
      toolCallId: "t",
      content: [
        { type: "content", content: { type: "text", text: "kept" } },
        { type: "diff", path: "/a", newText: "x" },
        { type: "terminal", terminalId: "1" },
        { type: "session", sessionId: "child" },
      ],
      locations: [{ path: "/a" }, { path: "/b", line: 0 }],
      incomplete: true,
      rawOutput: { any: ["thing"] },
    },
  });
});

test("a plan keeps its good entries and has one id", () => {
  const entry = { content: "c", priority: "high", status: "pending" };
  expect(decodeUpdate({ sessionUpdate: "plan", entries: [entry, { content: 1 }, null] })).toEqual({
    kind: "plan",
    planId: "default",
    entries: [entry],
  });
});

test("commands keep their good items, and a bad input is absent", () => {
  expect(
    decodeUpdate({
      sessionUpdate: "available_commands_update",
      availableCommands: [
        { name: "a", description: "d", input: { hint: "h" } },
        { name: "b", description: "d", input: 5 },
        { name: "no description" },
      ],
    }),
  ).toEqual({
    kind: "commands",
    commands: [
      { name: "a", description: "d", input: { hint: "h" } },
      { name: "b", description: "d" },
    ],
  });
});

test("in a session's info, absent means unchanged and null clears", () => {
  expect(decodeUpdate({ sessionUpdate: "session_info_update", title: null })).toEqual({ kind: "info", title: null });
  expect(decodeUpdate({ sessionUpdate: "session_info_update", title: 5, updatedAt: "u" })).toEqual({
    kind: "info",
    updatedAt: "u",
  });
});

test("usage with null, or without its numbers, does not fail", () => {
  expect(decodeUpdate({ sessionUpdate: "usage_update", used: null, size: 2 })).toEqual({
    kind: "usage",
    used: null,
    size: 2,
  });
  expect(decodeUpdate({ sessionUpdate: "usage_update", size: "x", cost: { amount: 1 } })).toEqual({
    kind: "usage",
    used: null,
    size: null,
  });
  const cost = { amount: 0.1, currency: "USD" };
  expect(decodeUpdate({ sessionUpdate: "usage_update", used: 1, size: 2, cost })).toMatchObject({ cost });
});

test("a notice and a compaction decode", () => {
  expect(decodeUpdate({ sessionUpdate: "notice", severity: "dire", title: "x", description: null })).toEqual({
    kind: "notice",
    severity: "dire",
    title: "x",
    description: null,
  });
  const text = { type: "text", text: "s" };
  expect(
    decodeUpdate({ sessionUpdate: "compaction_update", compactionId: "c", status: "completed", summary: [text, 1] }),
  ).toEqual({ kind: "compaction", compactionId: "c", status: "completed", summary: [text] });
  expect(decodeUpdate({ sessionUpdate: "compaction_summary_chunk", compactionId: "c", content: text })).toEqual({
    kind: "compaction",
    compactionId: "c",
    append: text,
  });
});

test("an unknown variant is kept as received, under its name", () => {
  const data = { sessionUpdate: "totally_new_kind", deep: { data: [1] } };
  expect(decodeUpdate(data)).toEqual({ kind: "extension", method: "session/update:totally_new_kind", data });
  expect(decodeUpdate({ sessionUpdate: "constructor" })).toMatchObject({ kind: "extension" });
});

test.for([
  null,
  "text",
  [],
  {},
  { sessionUpdate: 5 },
  { sessionUpdate: "agent_message_chunk" },
  { sessionUpdate: "agent_message_chunk", content: { type: "text" } },
  { sessionUpdate: "agent_message_chunk", content: "text" },
  { sessionUpdate: "tool_call", toolCallId: "t" },
  { sessionUpdate: "tool_call_update", toolCallId: 5 },
  { sessionUpdate: "notice", severity: "info" },
  { sessionUpdate: "compaction_update", status: "completed" },
])("an update without a required member is invalid: %j", (update) => {
  expect(decodeUpdate(update)).toBeUndefined();
});

const anything = fc.jsonValue();
const textBlock = fc.oneof(
  fc.record({ type: fc.constant("text"), text: fc.string() }),
  fc.record(
    {
      type: fc.oneof({ weight: 5, arbitrary: fc.constant("text") }, fc.constantFrom("image", "audio", "new", 5)),
      text: fc.oneof(fc.string(), anything),
      annotations: fc.oneof(
        anything,
        fc.record({ audience: anything, priority: anything, lastModified: anything }, { requiredKeys: [] }),
      ),
      _meta: fc.oneof(fc.dictionary(fc.string(), anything), anything),
      data: fc.string(),
      mimeType: fc.string(),
      extra: anything,
    },
    { requiredKeys: [] },
  ),
  anything,
);

test("the fast path for blocks and chunks equals the schema for any input", () => {
  const chunk = fc.record(
    { content: textBlock, messageId: fc.oneof(fc.string(), anything), _meta: fc.oneof(anything), extra: anything },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(chunk, (members) => {
      // As received from the wire.
      const update = JSON.parse(JSON.stringify({ ...members, sessionUpdate: "agent_message_chunk" })) as {
        content?: unknown;
      };
      expect(decodeUpdate(update)).toStrictEqual(decodeMessageBySchema("agent", update));
      expect(decodeContentBlock(update.content)).toStrictEqual(decodeContentBlockBySchema(update.content));
    }),
    { numRuns: 2000 },
  );
});

const toolCallItem = fc.oneof(
  fc.record(
    {
      type: fc.oneof({ weight: 9, arbitrary: fc.constantFrom("diff", "terminal", "content") }, anything),
      path: fc.oneof({ weight: 9, arbitrary: fc.string() }, anything),
      newText: fc.oneof({ weight: 9, arbitrary: fc.string() }, anything),
      oldText: fc.oneof(fc.string(), fc.constant(null), anything),
      terminalId: fc.oneof({ weight: 9, arbitrary: fc.string() }, anything),
      content: textBlock,
      _meta: fc.oneof(fc.dictionary(fc.string(), anything), anything),
      extra: anything,
    },
    { requiredKeys: ["type", "path", "newText"] },
  ),
  anything,
);
const toolCallUpdate = fc.record(
  {
    toolCallId: fc.oneof({ weight: 9, arbitrary: fc.string() }, anything),
    title: fc.oneof(fc.string(), anything),
    name: fc.oneof(fc.string(), anything),
    kind: fc.oneof(fc.string(), anything),
    status: fc.oneof(fc.string(), anything),
    content: fc.oneof({ weight: 5, arbitrary: fc.array(toolCallItem, { maxLength: 3 }) }, anything),
    locations: fc.oneof(fc.array(fc.record({ path: fc.string(), line: anything }), { maxLength: 2 }), anything),
    rawInput: anything,
    rawOutput: anything,
    _meta: fc.oneof(fc.dictionary(fc.string(), anything), anything),
    extra: anything,
  },
  { requiredKeys: ["toolCallId"] },
);

test("the fast path for tool call updates equals the schema for any input", () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 20, arbitrary: toolCallUpdate }, anything), (members) => {
      const update: unknown = JSON.parse(JSON.stringify(members));
      expect(decodeToolCallUpdate(update)).toStrictEqual(decodeToolCallUpdateBySchema(update));
    }),
    { numRuns: 3000 },
  );
});

test("the source text of a call's values is what the agent wrote, and parses to them", () => {
  const found = { content: 0, rawInput: 0, rawOutput: 0 };
  fc.assert(
    fc.property(toolCallUpdate, fc.constantFrom(0, 1, 2), fc.boolean(), (members, space, isFirst) => {
      const sessionUpdate = isFirst ? "tool_call" : "tool_call_update";
      const update = { sessionUpdate, title: "T", ...members };
      const line = JSON.stringify({ method: "session/update", params: { sessionId: "s", update } }, null, space);
      const { params } = JSON.parse(line) as { params: { update: unknown } };
      const decoded = decodeUpdate(params.update, line);
      if (decoded?.kind !== "tool_call") return;
      for (const name of ["content", "rawInput", "rawOutput"] as const) {
        const text = decoded.call.source?.get(name);
        if (decoded.call[name] !== undefined && name !== "content") expect(text).toBeDefined();
        if (text === undefined || decoded.call[name] === undefined) continue;
        found[name] += 1;
        expect(line).toContain(text);
        expect(JSON.parse(text)).toEqual(decoded.call[name]);
      }
    }),
    { numRuns: 3000 },
  );
  for (const count of Object.values(found)) expect(count).toBeGreaterThan(100);
});

test("content with a dropped or changed item has no source text", () => {
  const good = { type: "diff", path: "/a", oldText: null, newText: "x" };
  const textOf = (content: unknown[]): unknown => {
    const params = { update: { sessionUpdate: "tool_call_update", toolCallId: "t", content } };
    const decoded = decodeUpdate(params.update, JSON.stringify({ params }));
    return decoded?.kind === "tool_call" ? decoded.call.source?.get("content") : undefined;
  };
  expect(textOf([good])).toBe(JSON.stringify([good]));
  const annotations = { priority: 0.5 };
  const blocks = [
    { type: "text", text: "x", annotations, _meta: { a: 1 } },
    { type: "image", data: "AA==", mimeType: "image/png", annotations: { audience: ["user"] } },
    { type: "resource_link", uri: "file:///a", name: "a" },
    { type: "resource", resource: { uri: "file:///a", text: "x" } },
  ];
  for (const content of blocks) {
    const item = { type: "content", content };
    expect(textOf([item])).toBe(JSON.stringify([item]));
  }
  expect(textOf([{ type: "content", content: { ...blocks[0], annotations: 5 } }])).toBeUndefined();
  expect(textOf([good, null])).toBeUndefined();
  expect(textOf([good, { ...good, oldText: 5 }])).toBeUndefined();
});

test("the fast path leaves a block with a member named __proto__ to the schema", () => {
  const block = JSON.parse('{"type":"text","text":"x","__proto__":{"polluted":true}}') as object;
  expect(decodeContentBlock(block)).toStrictEqual(decodeContentBlockBySchema(block));
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("decoding does not throw for any update", () => {
  const variant = fc.constantFrom("tool_call", "tool_call_update", "plan", "usage_update", "config_option_update");
  fc.assert(
    fc.property(variant, fc.dictionary(fc.string(), anything), anything, anything, (sessionUpdate, rest, a, b) => {
      const update = { ...rest, toolCallId: "t", title: "T", content: a, locations: b, entries: a, configOptions: b };
      expect(() => [decodeUpdate({ ...update, sessionUpdate }), decodeUpdate(a)]).not.toThrow();
    }),
  );
});
