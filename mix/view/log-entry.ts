// SPDX-License-Identifier: MIT OR Apache-2.0
// One entry of the log as people read it: its number, its time, its kind and what it says.
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import { jsonText } from "../process/json-text.ts";
import { contentToText } from "./content.ts";
import { printable, printableLine } from "../../display/printable.ts";

/** The first line, and further ones of a text under it. */
export function formatLogEntry(entry: Entry): string[] {
  const head = `${String(entry.seq).padStart(5)}  ${formatTime(entry.at)}  ${entry.kind.padEnd(kindColumns)}  `;
  const [first = "", ...further] = (describeEntry(entry).trimEnd() || "(nothing)").split("\n");
  return [`${head}${first}`.trimEnd(), ...further.map((line) => `${" ".repeat(head.length)}${line}`.trimEnd())];
}

/** Of the longest kind. */
const kindColumns = "elicitation".length;

function describeEntry(entry: Entry): string {
  const late = entry.late === true ? " (late)" : "";
  switch (entry.kind) {
    case "message":
      return `${entry.role}${late}: ${printable(contentToText(entry.content))}`;
    case "command":
      return printableLine(`${entry.verb} by ${entry.by ?? `nobody known (${entry.origin})`} ${jsonText(entry.args)}`);
    case "reply":
      return printableLine(`${entry.verb} rc ${entry.rc}${describeRefusal(entry.body)}`);
    case "state":
      return printableLine(describeState(entry));
    case "turn":
      return printableLine(
        words(
          `${entry.turn} ${entry.phase}`,
          entry.stop_reason,
          entry.forced && "(forced)",
          describeError(entry.error),
        ),
      );
    case "tool_call":
      return (
        printableLine(
          words(
            entry.tool_call_id,
            entry.tool_kind,
            entry.title,
            entry.status,
            entry.closed_by && "(closed by agentd)",
          ),
        ) + late
      );
    case "plan":
      return entry.entries.map(({ content, status }) => printableLine(`${status}: ${content}`)).join("\n");
    case "permission":
      return printableLine(describePermission(entry));
    case "commands":
      return printableLine(entry.commands.map(({ name }) => name).join(", "));
    case "options":
      return printableLine(entry.options.map(({ option, value }) => `${option}=${value}`).join(", "));
    case "info":
      return printableLine(words(describeTitle(entry.title), entry.updated_at && `updated ${entry.updated_at}`));
    case "usage":
      return printableLine(words(`${entry.used ?? "?"} of ${entry.size ?? "?"} tokens`));
    case "notice":
      return printableLine(words(entry.severity, entry.title, entry.description));
    case "compaction":
      return printableLine(words(entry.compaction_id, entry.status, entry.error));
    case "elicitation":
      return printableLine(
        words(entry.request, describePhase(entry), entry.message, entry.url, entry.outcome, describeResolver(entry)),
      );
    case "file":
      return printableLine(words(entry.op, entry.phase, entry.path, describeBytes(entry.bytes), entry.message));
    case "terminal":
      return printableLine(describeTerminal(entry));
    case "extension":
      return printableLine(`${entry.method} ${jsonText(entry.data)}`);
    case "diagnostic":
      return printableLine(
        words(entry.what, entry.message, entry.count === undefined ? undefined : `×${entry.count}`, entry.sample),
      );
  }
}

function describeState(entry: Extract<Entry, { kind: "state" }>): string {
  const { state, reason, resumed, process, agent_info: info, error } = entry;
  return words(
    state,
    parenthesize(reason),
    resumed,
    process && `pid ${process.pid}`,
    info && `${info.title ?? info.name} ${info.version}`,
    describeError(error),
  );
}

function describePermission(entry: Extract<Entry, { kind: "permission" }>): string {
  if (entry.phase === "requested")
    return words(
      entry.request,
      "requested",
      entry.agent_session && `(by ${entry.agent_session})`,
      entry.tool_call?.title,
      `[${(entry.options ?? []).map(({ option }) => option).join(", ")}]`,
    );
  if (entry.phase === "changed") return words(entry.request, "changed:", (entry.changed ?? []).join(", "));
  if (entry.phase !== "resolved") return words(entry.request, describePhase(entry));
  return words(entry.request, "resolved", entry.outcome, entry.option, describeResolver(entry), entry.why);
}

function describePhase({ phase, sent }: Extract<Entry, { kind: "permission" | "elicitation" }>): string {
  return sent === "unknown" ? "sent, or not: agentd ended at that moment" : phase;
}

/** Who closed a question, and what came between. */
function describeResolver({
  phase,
  by,
  via,
}: Extract<Entry, { kind: "permission" | "elicitation" }>): string | undefined {
  if (phase !== "resolved") return undefined;
  const who = by ?? via ?? "someone";
  return `by ${who}${via === undefined || via === who ? "" : ` via ${via}`}`;
}

function describeTerminal(entry: Extract<Entry, { kind: "terminal" }>): string {
  const { terminal, phase, command, args = [], exit_code: code, signal, message } = entry;
  const exit = code === undefined || code === null ? signal : `exit code ${code}`;
  return words(terminal, phase, command, ...args, exit, message);
}

function describeTitle(title: string | null | undefined): string | undefined {
  return title === null ? "no title any more" : title;
}

function describeBytes(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : `${bytes} bytes`;
}

function describeRefusal(body: Readonly<Record<string, unknown>>): string {
  return typeof body["error_code"] === "string" ? ` ${body["error_code"]}: ${String(body["message"])}` : "";
}

function describeError(
  error: { readonly error_code: string; readonly message: string } | undefined,
): string | undefined {
  return error === undefined ? undefined : `${error.error_code}: ${error.message}`;
}

function parenthesize(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `(${text})`;
}

function words(...parts: readonly (string | null | undefined | false)[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ");
}

// The log's own clock, UTC, without the day.
function formatTime(at: string): string {
  return printableLine(at.slice(11, 23));
}
