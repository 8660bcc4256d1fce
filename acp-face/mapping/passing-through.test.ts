// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent says arrives at the editor as it was said: through the decoder, agentd's core, the log's JSON and the
// mapping.
import { toolKinds } from "../../acp-client/schema/v1/tool-kinds.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeUpdate } from "../../acp-client/schema/v1/update.ts";
import { SessionScript } from "../../agentd/session/core/testing/session-script.ts";
import { parseJson, stringifyJson } from "../../json/raw-json.ts";
import { entry, MappedSession } from "./testing/mapped.ts";
import { pieceBytesMax } from "./text-pieces.ts";
import { type Block, planPriorities, planStatuses, toolStatuses } from "./update.ts";

/** Plays updates of one turn, and returns those that the editor gets, without the ends of the turn. */
function passedThrough(updates: readonly object[]): readonly unknown[] {
  const script = new SessionScript();
  script.up();
  script.prompt("go");
  const session = new MappedSession({ editorTerminal: (terminal) => terminal });
  return updates.flatMap((update) => {
    const line = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } });
    const read = parseJson(line) as { params: { update: unknown } };
    const decoded = decodeUpdate(read.params.update, line);
    if (decoded === undefined || decoded.kind === "current_mode" || decoded.kind === "config_options")
      throw new Error(`not an update that can be played: ${line}`);
    return session.own(...script.says({ type: "update", update: decoded }));
  });
}

const word = fc.string({ maxLength: 12 });
const id = fc.constantFrom("a", "b", "c");
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const meta = fc.dictionary(word, json, { maxKeys: 2 });
const record = <T extends object>(required: { [K in keyof T]: fc.Arbitrary<T[K]> }, optional: object = {}) =>
  fc.record<{ [member: string]: unknown }>(
    { ...required, _meta: meta, ...optional },
    {
      requiredKeys: Object.keys(required),
    },
  );

const annotations = record(
  {},
  {
    audience: fc.array(fc.constantFrom("user", "assistant"), { maxLength: 2 }),
    lastModified: word,
    priority: fc.double({ noNaN: true, noDefaultInfinity: true }),
  },
);
const resource = fc.oneof(
  record({ uri: word, text: word }, { mimeType: word }),
  record({ uri: word, blob: word }, { mimeType: word }),
);
const blocks = {
  text: record({ type: fc.constant("text"), text: word }, { annotations }),
  image: record({ type: fc.constant("image"), data: word, mimeType: word }, { uri: word, annotations }),
  audio: record({ type: fc.constant("audio"), data: word, mimeType: word }, { annotations }),
  resource_link: record(
    { type: fc.constant("resource_link"), uri: word, name: word },
    { title: word, description: word, mimeType: word, size: fc.nat(), annotations },
  ),
  resource: record({ type: fc.constant("resource"), resource }, { annotations }),
} satisfies Record<Block["type"], fc.Arbitrary<unknown>>;
const block = fc.oneof(...Object.values(blocks));

const chunkTypes = ["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"];
const chunk = record({ sessionUpdate: fc.constantFrom(...chunkTypes), content: block, messageId: id });
const toolContent = fc.oneof(
  record({ type: fc.constant("content"), content: block }),
  record({ type: fc.constant("diff"), path: word, newText: word }, { oldText: fc.option(word) }),
  record({ type: fc.constant("terminal"), terminalId: word }),
);
const path = fc.constantFrom("/work/a", "/work/deep/b.ts", "/more/c");
const title = word.filter((text) => text.trim() !== "");
const callMembers = {
  name: word,
  content: fc.array(toolContent, { maxLength: 3 }),
  locations: fc.array(record({ path }, { line: fc.nat() }), { maxLength: 2 }),
  rawInput: json.filter((value) => value !== null),
  rawOutput: json.filter((value) => value !== null),
};
const kind = fc.constantFrom(...toolKinds);
const status = fc.constantFrom(...toolStatuses);
const announcement = { toolCallId: id, title, kind, status };
const toolCall = record({ sessionUpdate: fc.constant("tool_call"), ...announcement }, callMembers);
const callUpdate = record(
  { sessionUpdate: fc.constant("tool_call_update"), toolCallId: id },
  { title, kind, status, ...callMembers },
);
const step = title.map((text) => text.trim());
const others = [
  record({
    sessionUpdate: fc.constant("plan"),
    entries: fc.array(
      record({
        content: step,
        priority: fc.constantFrom(...planPriorities),
        status: fc.constantFrom(...planStatuses),
      }),
      { maxLength: 3 },
    ),
  }),
  record({
    sessionUpdate: fc.constant("available_commands_update"),
    availableCommands: fc.array(record({ name: word, description: word }, { input: record({ hint: word }) }), {
      maxLength: 3,
    }),
  }),
  record(
    { sessionUpdate: fc.constant("session_info_update"), title: fc.option(word) },
    { updatedAt: fc.option(fc.constant("2026-12-01T10:00:00Z")) },
  ),
  record(
    { sessionUpdate: fc.constant("usage_update"), used: fc.nat(), size: fc.nat() },
    { cost: record({ amount: fc.double({ noNaN: true, noDefaultInfinity: true }), currency: fc.constant("EUR") }) },
  ),
  record({ sessionUpdate: fc.constant("notice"), severity: word, title }, { description: title }),
  record(
    { sessionUpdate: fc.constant("compaction_update"), compactionId: id, status: word },
    { summary: fc.array(block, { maxLength: 2 }), error: title },
  ),
  record({ sessionUpdate: fc.constant("compaction_summary_chunk"), compactionId: id, content: block }),
];

test("an update of any kind but tool calls arrives as it was said", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(chunk, ...others), { maxLength: 8 }), (updates) => {
      expect(passedThrough(updates)).toEqual(JSON.parse(JSON.stringify(updates)));
    }),
  );
});

test("a tool call arrives as it was said: first as such, then as its updates, and once ended as a new one", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(toolCall, callUpdate), { maxLength: 10 }), (updates) => {
      const known = new Map<unknown, boolean>();
      const expected = updates.flatMap((update) => {
        const { toolCallId: call, status: said, kind: of, title: words } = update;
        const isAnnounced = said !== undefined && of !== undefined && words !== undefined;
        const isNew = !known.has(call) || (known.get(call) === true && isAnnounced);
        if (said !== undefined || isNew) known.set(call, said === "completed" || said === "failed");
        if (isNew) {
          const defaults = { title: update["name"] || "Tool call", status: "pending" };
          return [{ ...defaults, ...update, sessionUpdate: "tool_call" }];
        }
        const isEmpty = Object.keys(update).length === 2;
        return isEmpty ? [] : [{ ...update, sessionUpdate: "tool_call_update" }];
      });
      expect(passedThrough(updates)).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
  );
});

test("numbers arrive with the digits that the agent wrote", () => {
  const call =
    '"sessionUpdate":"tool_call","toolCallId":"c","title":"T","rawInput":{"id":1193820475610234881,"of":1.10}';
  const line = `{"params":{"update":{${call}}}}`;
  const update = decodeUpdate((parseJson(line) as { params: { update: unknown } }).params.update, line);
  if (update?.kind !== "tool_call") throw new Error("not decoded");
  const script = new SessionScript();
  script.up();
  const { mapper } = new MappedSession();
  const updates = script
    .says({ type: "update", update })
    .map((content) => mapper.live(entry(content), { isOwnPrompt: true }));
  expect(stringifyJson(updates)).toContain('"rawInput":{"id":1193820475610234881,"of":1.10}');
});

test("an output that is sent again and again arrives whole each time", () => {
  const output = (text: string) => [{ type: "content", content: { type: "text", text } }];
  const long = "line\n".repeat(200);
  const said = [
    { sessionUpdate: "tool_call", toolCallId: "c", title: "Run", kind: "execute", status: "in_progress" },
    ...["", "more\n", "more\nand more\n"].map((more) => ({
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      content: output(long + more),
      rawOutput: { out: long + more },
    })),
    { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed", content: output(`${long}done`) },
  ];
  expect(passedThrough(said)).toEqual(said);
});

test("a long text arrives in pieces of its message that have the other members of the block", () => {
  const text = `${"😀 a line of text\r\n".repeat(3_000)}${"x".repeat(40_000)}`;
  const content = { type: "text", text, annotations: { audience: ["user"] }, _meta: { a: 1 } };
  const arrived = passedThrough([{ sessionUpdate: "agent_message_chunk", messageId: "m", content, _meta: { b: 2 } }]);
  const chunks = arrived as { content: { text: string } }[];
  expect(chunks.map((one) => one.content.text).join("")).toBe(text);
  for (const one of chunks) {
    expect(Buffer.byteLength(one.content.text)).toBeLessThanOrEqual(pieceBytesMax);
    expect(one).toMatchObject({
      sessionUpdate: "agent_message_chunk",
      messageId: "m",
      content: { type: "text", annotations: { audience: ["user"] }, _meta: { a: 1 } },
      _meta: { b: 2 },
    });
  }
});
