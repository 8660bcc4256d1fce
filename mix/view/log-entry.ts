// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import { jsonText } from "../process/json-text.ts";
import { contentToText } from "../../agent-client/view/content.ts";
import { printable, printableLine } from "../../display/printable.ts";

/** Formats a log entry: seq, UTC time, kind and text; further lines of the text are indented below. */
export function formatLogEntry(entry: Entry): string[] {
  const head = `${String(entry.seq).padStart(5)}  ${formatTime(entry.at)}  ${entry.kind.padEnd(longestKind.length)}  `;
  const [first = "", ...further] = (describeEntry(entry).trimEnd() || "(empty)").split("\n");
  return [`${head}${first}`.trimEnd(), ...further.map((line) => `${" ".repeat(head.length)}${line}`.trimEnd())];
}

const longestKind = "elicitation";

function describeEntry(entry: Entry): string {
  const late = entry.late === true ? " (late)" : "";
  if (entry.kind === "message") return `${entry.role}${late}: ${printable(contentToText(entry.content))}`;
  if (entry.kind === "plan")
    return entry.entries.map(({ content, status }) => printableLine(`${status}: ${content}`)).join("\n");
  return printableLine(joinWords(...wordsOf(entry))) + (entry.kind === "tool_call" ? late : "");
}

type Word = string | null | undefined | false;

function wordsOf(entry: Exclude<Entry, { kind: "message" | "plan" }>): readonly Word[] {
  switch (entry.kind) {
    case "command":
      return [entry.verb, "by", entry.by ?? `unknown sender (${entry.origin})`, jsonText(entry.args)];
    case "reply":
      return [entry.verb, `rc ${entry.rc}`, describeRefusal(entry.body)];
    case "state":
      return [describeState(entry)];
    case "turn":
      return [
        `${entry.turn} ${entry.phase}`,
        entry.stop_reason,
        entry.forced && "(forced)",
        describeError(entry.error),
      ];
    case "tool_call": {
      const { tool_call_id, tool_kind, title, status, closed_by } = entry;
      return [tool_call_id, tool_kind, title, status, closed_by && "(closed by agentd)"];
    }
    case "permission":
      return [describePermission(entry)];
    case "commands":
      return [entry.commands.map(({ name }) => name).join(", ")];
    case "options":
      return [entry.options.map(({ option, value }) => `${option}=${value}`).join(", ")];
    case "info":
      return [entry.title === null ? "title removed" : entry.title, entry.updated_at && `updated ${entry.updated_at}`];
    case "usage":
      return [`${entry.used ?? "?"} of ${entry.size ?? "?"} tokens`];
    case "notice":
      return [entry.severity, entry.title, entry.description];
    case "compaction":
      return [entry.compaction_id, entry.status, entry.error];
    case "elicitation": {
      const { request, message, url, outcome } = entry;
      return [request, describePhase(entry), message, url, outcome, describeResolver(entry)];
    }
    case "file":
      return [
        entry.op,
        entry.phase,
        entry.path,
        entry.bytes === undefined ? "" : `${entry.bytes} bytes`,
        entry.message,
      ];
    case "terminal": {
      const { terminal, phase, command, args = [], exit_code: code, signal, message } = entry;
      return [
        terminal,
        phase,
        command,
        ...args,
        code === undefined || code === null ? signal : `exit code ${code}`,
        message,
      ];
    }
    case "extension":
      return [entry.method, jsonText(entry.data)];
    case "diagnostic":
      return [entry.what, entry.message, entry.count === undefined ? "" : `×${entry.count}`, entry.sample];
  }
}

function describeState(entry: Extract<Entry, { kind: "state" }>): string {
  const { state, reason, resumed, process, agent_info: info, error } = entry;
  return joinWords(
    state,
    reason === undefined ? "" : `(${reason})`,
    resumed,
    process && `pid ${process.pid}`,
    info && `${info.title ?? info.name} ${info.version}`,
    describeError(error),
  );
}

function describePermission(entry: Extract<Entry, { kind: "permission" }>): string {
  if (entry.phase === "requested")
    return joinWords(
      entry.request,
      "requested",
      entry.agent_session && `(by ${entry.agent_session})`,
      entry.tool_call?.title,
      `[${(entry.options ?? []).map(({ option }) => option).join(", ")}]`,
    );
  if (entry.phase === "changed") return joinWords(entry.request, "changed:", (entry.changed ?? []).join(", "));
  if (entry.phase !== "resolved") return joinWords(entry.request, describePhase(entry));
  return joinWords(entry.request, "resolved", entry.outcome, entry.option, describeResolver(entry), entry.why);
}

function describePhase({ phase, sent }: Extract<Entry, { kind: "permission" | "elicitation" }>): string {
  return sent === "unknown" ? "possibly sent: agentd ended at that moment" : phase;
}

/** Names who resolved a request, and through what. */
function describeResolver({
  phase,
  by,
  via,
}: Extract<Entry, { kind: "permission" | "elicitation" }>): string | undefined {
  if (phase !== "resolved") return undefined;
  const who = by ?? via ?? "someone";
  return `by ${who}${via === undefined || via === who ? "" : ` via ${via}`}`;
}

function describeRefusal(body: Readonly<Record<string, unknown>>): string {
  return typeof body["error_code"] === "string" ? `${body["error_code"]}: ${String(body["message"])}` : "";
}

function describeError(
  error: { readonly error_code: string; readonly message: string } | undefined,
): string | undefined {
  return error === undefined ? undefined : `${error.error_code}: ${error.message}`;
}

function joinWords(...parts: readonly Word[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ");
}

/** Returns the UTC time of day, to the millisecond. */
function formatTime(at: string): string {
  return printableLine(at.slice(11, 23));
}
