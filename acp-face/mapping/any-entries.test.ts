// SPDX-License-Identifier: MIT OR Apache-2.0
// Whatever a log holds, an editor gets valid updates, and all the text in its order.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { samples } from "../../agent-client/testing/entry-samples.ts";
import type { EntryContent } from "../../agentd/vocabulary/entries.ts";
import { MappedSession } from "./testing/mapped.ts";

const junk = fc.jsonValue({ maxDepth: 3 });
/** Members of which each may be missing, null or of any type. */
const loose = (members: { readonly [member: string]: fc.Arbitrary<unknown> }) =>
  fc.record(
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => [name, fc.oneof({ weight: 4, arbitrary: value }, junk)]),
    ),
    {
      requiredKeys: [],
    },
  );
const words = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("a line\r\n".repeat(5_000)));
const texts = fc.record({ type: fc.constant("text"), text: words });
const block = fc.oneof(
  { weight: 3, arbitrary: texts },
  loose({
    type: fc.constantFrom("text", "image", "audio", "resource", "resource_link", "hologram"),
    text: words,
    data: words,
    mimeType: words,
    uri: words,
    name: words,
    resource: loose({ uri: words, text: words, blob: words }),
    annotations: loose({ audience: fc.array(junk), priority: fc.double(), lastModified: words }),
    _meta: fc.dictionary(words, junk),
  }),
);
const turn = fc.integer({ min: 1, max: 3 });
const messages = fc.record({
  kind: fc.constant("message"),
  role: fc.constantFrom("user", "agent", "thought"),
  message_id: fc.constantFrom("m1", "m2"),
  append: fc.constant(true),
  content: block,
  turn,
});
const growth = fc.record({
  path: fc.constantFrom(["content", 0, "content", "text"], ["raw_output"], ["raw_output", "out"], []),
  at: fc.nat(100),
  text: words,
});
const toolCalls = fc.record(
  {
    kind: fc.constant("tool_call"),
    tool_call_id: fc.constantFrom("a", "b"),
    turn,
    title: fc.option(words),
    name: fc.option(words),
    tool_kind: fc.option(fc.constantFrom("read", "other", "teleport", "")),
    status: fc.option(fc.constantFrom("pending", "in_progress", "completed", "failed", "cancelled", "odd", "")),
    content: fc.option(
      fc.array(
        fc.oneof(
          loose({
            type: fc.constantFrom("content", "diff", "terminal", "odd"),
            content: block,
            path: words,
            newText: words,
            oldText: words,
            terminalId: words,
          }),
          junk,
        ),
        { maxLength: 3 },
      ),
    ),
    locations: fc.option(
      fc.array(fc.oneof(loose({ path: fc.oneof(words, fc.constant("/work/a")), line: fc.integer() }), junk)),
    ),
    raw_input: junk,
    raw_output: fc.oneof(junk, fc.record({ out: words })),
    parent_tool_call_id: fc.option(words),
    grow: fc.array(growth, { maxLength: 2 }),
    _meta: junk,
  },
  { requiredKeys: ["kind", "tool_call_id"] },
);
const steps = fc.array(fc.oneof(loose({ content: words, priority: words, status: words, _meta: junk }), junk));
const commands = fc.array(fc.oneof(loose({ name: words, description: words, input: loose({ hint: words }) }), junk));
const others = fc.oneof(
  fc.record({ kind: fc.constant("plan"), plan_id: words, entries: steps, turn, _meta: junk }),
  fc.record({ kind: fc.constant("commands"), commands, _meta: junk }),
  fc.record({
    kind: fc.constant("usage"),
    used: junk,
    size: junk,
    cost: fc.oneof(junk, loose({ amount: fc.double(), currency: words })),
  }),
  fc.record({
    kind: fc.constant("info"),
    title: fc.option(words),
    name: fc.option(words),
    updated_at: fc.option(words),
    _meta: junk,
  }),
  fc.record({
    kind: fc.constant("turn"),
    turn,
    phase: fc.constantFrom("queued", "started", "ended"),
    stop_reason: words,
  }),
  fc.constantFrom(...Object.values(samples)),
);
const entries = fc.array(fc.oneof({ weight: 3, arbitrary: messages }, { weight: 3, arbitrary: toolCalls }, others), {
  maxLength: 25,
});

function textsIn(updates: readonly unknown[]): string {
  const chunks = updates as { sessionUpdate: string; content?: { type?: string; text?: string } }[];
  const spoken = chunks.filter(
    ({ sessionUpdate, content }) => sessionUpdate.endsWith("_chunk") && content?.type === "text",
  );
  return spoken
    .filter(({ sessionUpdate }) => !sessionUpdate.startsWith("compaction"))
    .map(({ content }) => content?.text)
    .join("");
}

/** Members of updates that are null, which the schema allows in many, and some editors in none. */
function nullsIn(updates: readonly unknown[]): string[] {
  return (updates as { sessionUpdate: string }[])
    .filter(({ sessionUpdate }) => sessionUpdate !== "session_info_update")
    .flatMap((update) => Object.entries(update).flatMap(([name, value]) => (value === null ? [name] : [])));
}

const asEntries = (contents: readonly unknown[]) =>
  contents.map((content) => JSON.parse(JSON.stringify(content)) as EntryContent);

test("live entries give valid updates with all the text, in order", () => {
  fc.assert(
    fc.property(entries, fc.boolean(), (contents, showsIds) => {
      const all = asEntries(contents);
      const told = new MappedSession({ showsIds }).live(...all);
      const said = all.flatMap((one) => {
        const isText = one.kind === "message" && one.content.type === "text" && typeof one.content["text"] === "string";
        return isText ? [one.content["text"]] : [];
      });
      expect(textsIn(told)).toBe(said.join(""));
      expect(nullsIn(told)).toEqual([]);
    }),
  );
});

test("each tool call is announced before it is updated", () => {
  fc.assert(
    fc.property(entries, fc.boolean(), (contents, isLive) => {
      const session = new MappedSession();
      const all = asEntries(contents);
      const told = (isLive ? session.live(...all) : session.past(...all)) as {
        sessionUpdate: string;
        toolCallId?: string;
      }[];
      const known = new Set<unknown>();
      for (const { sessionUpdate, toolCallId } of told) {
        if (sessionUpdate === "tool_call") known.add(toolCallId);
        if (sessionUpdate === "tool_call_update") expect(known).toContain(toolCallId);
      }
    }),
  );
});

test("replayed entries give valid updates, and what each tool call has become", () => {
  fc.assert(
    fc.property(entries, fc.boolean(), (contents, isRunningTurn) => {
      const all = asEntries(contents);
      const live = new MappedSession();
      const replayed = new MappedSession();
      const past = isRunningTurn ? replayed.running(...all) : replayed.past(...all);
      expect(nullsIn(past)).toEqual([]);
      const rest = replayed.mapper.endReplay();
      expect(stateOf([...past, ...rest], "a")).toEqual(stateOf(live.live(...all), "a"));
    }),
  );
});

/** A tool call as an editor has it after the updates. */
function stateOf(updates: readonly unknown[], id: string): object {
  let call = {};
  for (const update of updates as { sessionUpdate: string; toolCallId?: string }[]) {
    const { sessionUpdate, toolCallId, ...members } = update;
    if (toolCallId !== id) continue;
    call = sessionUpdate === "tool_call" ? members : { ...call, ...members };
  }
  return JSON.parse(JSON.stringify(call)) as object;
}
