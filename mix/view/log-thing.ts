// SPDX-License-Identifier: MIT OR Apache-2.0
// Entries of the log that are about one thing: which they are, and what they say together.
import { type Entry, finalToolStatuses, type ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { verdictOf } from "../../agent-client/view/decision.ts";
import { foldToolCall, startsNewCall } from "../../agent-client/view/tool-call.ts";
import { printableLine } from "../../display/printable.ts";
import { truncateToWidth } from "../../display/width.ts";
import { jsonText } from "../process/json-text.ts";
import { subjectOf, withKind } from "../questions/subject.ts";
import { type EntryOf, joinWords, type LogText } from "./log-entry.ts";
import { describeResolver } from "./permission.ts";
import { finalMarks, shortenPath } from "./tool-calls.ts";
import { formatDuration } from "../../display/units.ts";

const thingKinds = [
  "command",
  "reply",
  "tool_call",
  "permission",
  "elicitation",
  "file",
  "terminal",
  "compaction",
] as const satisfies readonly Entry["kind"][];
export type ThingEntry = EntryOf<(typeof thingKinds)[number]>;

export function isOfThing(entry: Entry): entry is ThingEntry {
  return thingKinds.some((kind) => kind === entry.kind);
}

/** Several entries about one thing: a command and its reply, a tool call, a question, a write, a terminal. */
export interface Thing {
  /** The first entry that was read of it. */
  readonly began: ThingEntry;
  readonly last: ThingEntry;
  /** The entry that decided it: a reply, a resolution, an end. */
  readonly ended?: ThingEntry;
  /** Of a tool call: its fields, without content. */
  readonly call?: ToolCallFields;
}

/** Identifies the thing. */
export function thingOf(entry: ThingEntry): string {
  switch (entry.kind) {
    case "command":
      return `command ${entry.seq}`;
    case "reply":
      return `command ${entry.command_seq}`;
    case "tool_call":
      return toolThing(entry.tool_call_id);
    case "permission":
    case "elicitation":
      return `request ${entry.request}`;
    case "file":
      return `file ${entry.intended ?? entry.seq}`;
    case "terminal":
      return `terminal ${entry.terminal}`;
    case "compaction":
      return `compaction ${entry.compaction_id}`;
  }
}

export function toolThing(id: string): string {
  return `tool ${id}`;
}

/** Whether the entry is the first of its thing. Anything else is of a thing whose beginning was not read. */
export function isBeginning(entry: ThingEntry): boolean {
  switch (entry.kind) {
    case "reply":
      return false;
    case "tool_call":
      return typeof entry.title === "string";
    case "permission":
    case "elicitation":
      return entry.phase === "requested";
    case "file":
      return entry.intended === undefined;
    case "terminal":
      return entry.phase === "started" || entry.command !== undefined;
    case "command":
    case "compaction":
      return true;
  }
}

/** Whether the entry decides how its thing ended. */
function isEnd(entry: ThingEntry): boolean {
  switch (entry.kind) {
    case "reply":
      return true;
    case "tool_call":
      return finalToolStatuses.has(entry.status);
    case "permission":
    case "elicitation":
      return entry.phase === "resolved";
    case "file":
      return entry.phase !== "intended";
    case "terminal":
      return entry.phase !== "started" && entry.phase !== "released";
    case "compaction":
      return finalToolStatuses.has(entry.status);
    case "command":
      return false;
  }
}

export function describeThing(thing: Thing, directory: string | undefined): LogText {
  const { began, ended } = thing;
  switch (began.kind) {
    case "command":
      return describeCommand(began, ended?.kind === "reply" ? ended : undefined);
    case "reply":
      return describeReply(began);
    case "tool_call":
      return describeToolCall(began, thing);
    case "permission":
    case "elicitation":
      return describeQuestion(began, thing);
    case "file":
      return describeFile((ended ?? began) as EntryOf<"file">, directory);
    case "terminal":
      return describeTerminal(began, (ended ?? began) as EntryOf<"terminal">);
    case "compaction": {
      const { status, error } = (ended ?? thing.last) as EntryOf<"compaction">;
      return { text: joinWords("the context,", status ?? "started", error), label: error ? "error" : "faint" };
    }
  }
}

/** Returns the thing after a later entry of it. An entry that begins another one of the same name begins anew. */
export function joinThing(before: Thing | undefined, entry: ThingEntry): Thing {
  const ended = isEnd(entry) ? { ended: entry } : {};
  if (entry.kind !== "tool_call") return { began: entry, ...before, last: entry, ...ended };
  const { tool_call_id, title, tool_kind, status, parent_tool_call_id, kind } = entry;
  const known = before?.call !== undefined && startsNewCall(before.call, entry) ? undefined : before;
  const said = { kind, tool_call_id, title, tool_kind, status, parent_tool_call_id };
  const call = foldToolCall(known?.call ?? { tool_call_id }, said);
  return { began: entry, ...known, last: entry, ...ended, call };
}

function describeCommand(entry: EntryOf<"command">, reply: EntryOf<"reply"> | undefined): LogText {
  const { verb, by, origin, args } = entry;
  const given = Object.entries(args).filter(([, value]) => !isEmpty(value));
  const words = given.map(([name, value]) => `${name}=${truncateToWidth(argumentText(value), argumentColumnsMax)}`);
  const refusal = reply === undefined ? "" : refusalOf(reply);
  const author = by ?? (origin === "agentd" ? "agentd" : `unknown sender (${origin})`);
  return {
    text: joinWords(verb, "by", author, ...words, refusal),
    label: "faint",
    ...(refusal === "" ? {} : { label: "error", tone: "error" }),
  };
}

/** Longer arguments are cut: the log has them in full with --json. */
const argumentColumnsMax = 120;

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function argumentText(value: unknown): string {
  return printableLine(typeof value === "string" ? value : jsonText(value));
}

function describeReply(entry: EntryOf<"reply">): LogText {
  return { text: joinWords(entry.verb, refusalOf(entry) || "done"), label: entry.rc === 0 ? "faint" : "error" };
}

function refusalOf({ rc, body }: EntryOf<"reply">): string {
  if (rc === 0) return "";
  const { error_code: code, message } = body;
  return typeof code === "string" ? `→ ${code}: ${String(message)}` : `→ rc ${rc}`;
}

function describeToolCall(began: ThingEntry, { call, last, ended }: Thing): LogText {
  const {
    tool_kind: kind,
    title,
    status,
    tool_call_id: id,
    parent_tool_call_id: parent,
  } = call ?? { tool_call_id: "" };
  const isOver = finalToolStatuses.has(status);
  const closed = last.kind === "tool_call" && last.closed_by === "agentd" ? ", closed by agentd" : "";
  const mark = parent === undefined ? "" : "↳ ";
  const how = isOver ? `${finalMarks[status ?? ""] ?? status} ` : "";
  const took = ended === undefined ? 0 : Date.parse(ended.at) - Date.parse(began.at);
  const state = joinWords(
    status !== "completed" && `(${status ?? "pending"}${closed})`,
    took >= tookMsMin && formatDuration(took),
  );
  return {
    text: joinWords(`${mark}${how}${withKind(kind ?? "tool", title ?? id)}`, state),
    label: status === "completed" ? "good" : status === "failed" ? "error" : isOver ? "warn" : "code",
  };
}

/** A shorter time says nothing about a tool call. */
const tookMsMin = 100;

function describeQuestion(began: EntryOf<"permission" | "elicitation">, { ended, last }: Thing): LogText {
  const asked = began.phase === "requested" ? began : undefined;
  const about = asked === undefined ? began.request : subjectOf(asked, subjectColumnsMax);
  const from = began.agent_session && `(by ${began.agent_session})`;
  const { phase, sent } = last as EntryOf<"permission" | "elicitation">;
  const delivery = sent === "unknown" ? "(possibly sent: agentd ended then)" : phase === "unsent" && "(not sent)";
  if (ended?.kind !== "permission" && ended?.kind !== "elicitation") {
    const choices =
      asked?.kind === "permission" ? ` [${(asked.options ?? []).map(({ option }) => option).join(", ")}]` : "";
    const how = phase === "requested" || phase === "changed" ? `asked${choices}` : phase;
    return { text: joinWords(about, from, how, asked && `(${asked.request})`, delivery), label: "warn" };
  }
  const verdict = verdictOf(ended, asked);
  const { option, changed } = ended.kind === "permission" ? ended : { option: undefined, changed: undefined };
  const how = joinWords(asked ? verdict : ended.outcome, option && `(${option})`);
  const change = changed && `(changed since: ${changed.join(", ")})`;
  return {
    text: joinWords(about, from, change, `→ ${how}, ${describeResolver(ended)}`, delivery),
    label: verdict === "allowed" || verdict === "answered" ? "good" : "error",
  };
}

const subjectColumnsMax = 200;

function describeFile(entry: EntryOf<"file">, directory: string | undefined): LogText {
  const { op, phase, bytes, message, reason, citizen } = entry;
  const path = shortenPath(entry.path, directory);
  const size = bytes === undefined ? "" : `, ${bytes} bytes`;
  if (phase === "refused") return { text: joinWords(op, path, "refused:", message ?? reason), label: "error" };
  if (phase === "intended") return { text: `${op} ${path}${size} (intended)` };
  const done = `${op === "write" ? "wrote" : "read"} ${path}${size}`;
  return { text: joinWords(done, reason && `(${reason})`, citizen && `(in ${citizen})`) };
}

function describeTerminal(began: EntryOf<"terminal">, last: EntryOf<"terminal">): LogText {
  const { terminal, command, args = [], citizen } = began;
  const what = command === undefined ? terminal : joinWords(command, ...args, citizen && `(in ${citizen})`);
  const { phase, exit_code: code, signal, message } = last;
  if (phase === "started") return { text: `${what} (running)`, label: "code" };
  if (phase !== "exited") return { text: joinWords(what, `(${phase})`, message), label: "error" };
  const how = typeof code === "number" ? `exit code ${code}` : (signal ?? "ended");
  return { text: `${what} → ${how}`, label: code === 0 ? "good" : "error" };
}
