// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RawJson } from "../../../../json/raw-json.ts";
import type { EntryContent, ToolCallEntry } from "../../../vocabulary/index.ts";
import { SessionScript } from "../testing/session-script.ts";
import { endCall, type KnownCalls, toLoggedFields, mergeCall, noCalls } from "./known-calls.ts";

const long = "x".repeat(1_000);
const output = (text: string) => [{ type: "content", content: { type: "text", text } }];
const inContent = ["content", 0, "content", "text"];

function inTurn(): SessionScript {
  const script = new SessionScript();
  script.up();
  script.prompt("go");
  return script;
}

function says(script: SessionScript, call: object, toolCallId = "t"): readonly EntryContent[] {
  return script.says({ type: "update", update: { kind: "tool_call", call: { toolCallId, ...call } } });
}

test("an output sent again with more at its end is logged as its growth", () => {
  const script = inTurn();
  expect(says(script, { content: output(long), rawOutput: { out: long } })).toMatchObject([{ content: output(long) }]);
  const [entry] = says(script, { status: "in_progress", content: output(`${long}yz`), rawOutput: { out: `${long}!` } });
  expect(entry).toEqual({
    kind: "tool_call",
    turn: 1,
    tool_call_id: "t",
    status: "in_progress",
    grow: [
      { path: inContent, at: 1_000, text: "yz" },
      { path: ["raw_output", "out"], at: 1_000, text: "!" },
    ],
  });
  expect(says(script, { content: output(`${long}yz?`) })).toMatchObject([
    { grow: [{ path: inContent, at: 1_002, text: "?" }] },
  ]);
});

test("an unchanged output is not logged again, and a changed one is logged whole", () => {
  const script = inTurn();
  says(script, { content: output(long) });
  const [same] = says(script, { status: "in_progress", content: output(long) });
  expect(same).not.toHaveProperty("content");
  expect(same).not.toHaveProperty("grow");
  expect(says(script, { content: output(`y${long}`) })).toMatchObject([{ content: output(`y${long}`) }]);
  expect(says(script, { content: [...output(`y${long}`), ...output("more")] })).toMatchObject([
    { content: [{}, { content: { text: "more" } }] },
  ]);
});

test("a short output is logged whole, since its growth would be longer", () => {
  const script = inTurn();
  says(script, { content: output("short") });
  expect(says(script, { content: output("shorter") })).toMatchObject([{ content: output("shorter") }]);
});

test("once its call is closed, an output is logged whole and no longer held", () => {
  for (const close of [
    (script: SessionScript) => says(script, { status: "completed", content: output(`${long}.`) }),
    (script: SessionScript) => script.answered(1),
  ]) {
    const script = inTurn();
    says(script, { content: output(long) });
    expect(unitsOf(script)).toBeGreaterThan(1_000);
    close(script);
    expect(unitsOf(script)).toBeLessThan(100);
    const again = output(`${long}..`);
    expect(says(script, { content: again })).toMatchObject([{ content: again }]);
    expect(unitsOf(script)).toBeLessThan(100);
  }
});

test("a value is logged as the agent wrote it, and what is known of the call is parsed", () => {
  const script = inTurn();
  const text = `{ "id":1.0,"id":2, "out":"${long}" }`;
  const source = new Map([
    ["rawInput", text],
    ["rawOutput", text],
    ["content", "[ ]"],
  ] as const);
  const value = { id: 2, out: long };
  const [entry] = says(script, { rawInput: value, rawOutput: value, source });
  expect(entry).toEqual({
    kind: "tool_call",
    turn: 1,
    tool_call_id: "t",
    status: "pending",
    raw_input: new RawJson(text),
    raw_output: new RawJson(text),
  });
  expect(script.state.calls.get("t")?.members.raw_input?.value).toEqual(value);
  const grown = { rawOutput: { id: 2, out: `${long}!` }, source };
  expect(says(script, grown)).toEqual([
    { kind: "tool_call", turn: 1, tool_call_id: "t", grow: [{ path: ["raw_output", "out"], at: 1_000, text: "!" }] },
  ]);
});

const unitsOf = (script: SessionScript) => script.state.calls.get("t")?.units;
const asked = { hasEnded: false, isBase: true, wasSeen: false };

test("a value that is too big, too deep or has too many texts is not held but marked as lost", () => {
  let deep: unknown = long;
  for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
  const values = ["x".repeat(5 * 1024 * 1024), deep, Array.from({ length: 2_000 }, () => long.slice(0, 9))];
  for (const raw_input of values) {
    const call = mergeCall(noCalls, "t", { tool_call_id: "t", raw_input }, asked).get("t");
    expect(call).toEqual({ members: { raw_input: { value: undefined, units: 0 } }, hasEnded: false, units: 0 });
  }
});

test("the newest calls and outputs are held within the session's limits", () => {
  const remember = (calls: KnownCalls, index: number, text: string) =>
    mergeCall(calls, `t${index}`, { tool_call_id: `t${index}`, raw_output: text }, asked);
  let many = noCalls;
  for (let index = 0; index < 100; index += 1) many = remember(many, index, long);
  expect([...many.keys()]).toEqual(Array.from({ length: 64 }, (_, index) => `t${index + 36}`));
  let much = noCalls;
  for (let index = 0; index < 9; index += 1) much = remember(much, index, "x".repeat(3 * 1024 * 1024));
  expect([...much.keys()]).toEqual(["t4", "t5", "t6", "t7", "t8"]);
  expect(endCall(much, "t8").get("t8")?.units).toBeLessThan(100);
});

test("an ended call is evicted before an open one, however old that is", () => {
  let calls = mergeCall(noCalls, "open", { tool_call_id: "open", title: "Wait" }, asked);
  for (let index = 0; index < 100; index += 1) {
    const fields = { tool_call_id: `t${index}`, status: "completed" };
    calls = mergeCall(calls, fields.tool_call_id, fields, { ...asked, hasEnded: true });
  }
  expect(calls.get("open")?.members.title).toMatchObject({ value: "Wait" });
  expect(calls.size).toBe(64);
});

test("whatever an agent sends, folding the entries gives exactly what it sent last", () => {
  const leaf = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3 }),
    fc.constantFrom(long, long.repeat(2), `${long}é😀`),
    fc.integer(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie("value"), { maxKeys: 3 }),
    ),
  }));
  const change = fc.oneof(
    { weight: 4, arbitrary: fc.record({ how: fc.constant("grow" as const), by: fc.string({ unit: "binary" }) }) },
    fc.record({ how: fc.constant("again" as const) }),
    fc.record({ how: fc.constant("other" as const), value }),
  );
  fc.assert(
    fc.property(value, fc.array(change, { maxLength: 12 }), (first, changes) => {
      let calls = noCalls;
      let sent: unknown = first;
      let folded: unknown;
      for (const next of [{ how: "again" as const }, ...changes]) {
        sent = next.how === "grow" ? longer(sent, next.by) : next.how === "other" ? next.value : structuredClone(sent);
        const fields = { tool_call_id: "t", raw_output: sent };
        folded = fold(folded, toLoggedFields(calls, fields));
        calls = mergeCall(calls, "t", fields, asked);
        expect(folded).toEqual(sent);
      }
    }),
  );
});

/** Appends to each text in the value. */
function longer(value: unknown, by: string): unknown {
  if (typeof value === "string") return value + by;
  if (Array.isArray(value)) return value.map((item) => longer(item, by));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, longer(inner, by)]));
}

/** Applies the growth in the simplest way, through the value's JSON. */
function fold(value: unknown, entry: Pick<ToolCallEntry, "raw_output" | "grow">): unknown {
  const whole = { raw_output: structuredClone(entry.raw_output === undefined ? value : entry.raw_output) };
  for (const { path, at, text } of entry.grow ?? []) {
    let holder = whole as Record<string | number, unknown>;
    for (const place of path.slice(0, -1)) holder = holder[place] as Record<string | number, unknown>;
    const last = path.at(-1)!;
    const old = holder[last] as string;
    expect(old).toHaveLength(at);
    holder[last] = old + text;
  }
  return whole.raw_output;
}
