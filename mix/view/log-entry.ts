// SPDX-License-Identifier: MIT OR Apache-2.0
// What an entry says to people in the log where it stands alone.
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import type { TurnUsage } from "../../agentd/vocabulary/usage.ts";
import type { Style } from "../../display/styled.ts";
import type { OutcomeError } from "../process/exit-codes.ts";
import { jsonText } from "../process/json-text.ts";

export interface LogText {
  readonly text: string;
  /** Colour of the label; undefined leaves it as it is. */
  readonly label?: keyof Style;
  /** Colour of the text. */
  readonly tone?: keyof Style;
}

type LoneKind = "state" | "turn" | "commands" | "options" | "info" | "usage" | "notice" | "extension" | "diagnostic";
export type EntryOf<K extends Entry["kind"]> = Extract<Entry, { readonly kind: K }>;

export function describeEntry(entry: EntryOf<LoneKind>): LogText {
  switch (entry.kind) {
    case "state":
      return describeState(entry);
    case "turn":
      return describeTurn(entry);
    case "commands":
      return quiet(entry.commands.map(({ name }) => name).join(", "));
    case "options":
      return quiet(entry.options.map(({ option, value }) => `${option}=${value}`).join(", "));
    case "info":
      if (entry.forgotten === true) return quiet("forgotten: left out of lists");
      if (entry.name !== undefined) return quiet(entry.name === null ? "name removed" : `name: ${entry.name}`);
      return quiet(
        entry.title
          ? `title: ${entry.title}`
          : entry.title === null
            ? "title removed"
            : `updated ${entry.updated_at ?? ""}`,
      );
    case "usage":
      return quiet(joinWords(describeContext(entry), entry.cost && `${entry.cost.amount} ${entry.cost.currency}`));
    case "notice":
      return { text: joinWords(entry.severity, entry.title, entry.description), label: "warn" };
    case "extension":
      return quiet(joinWords(entry.method, jsonText(entry.data)));
    case "diagnostic": {
      const { what, message, count, sample } = entry;
      return { text: joinWords(`${what}:`, message, count === undefined ? "" : `×${count}`, sample), label: "warn" };
    }
    default:
      // A kind of a newer agentd.
      return quiet(jsonText(entry satisfies never));
  }
}

export function describeContext({
  used,
  size,
}: {
  readonly used: number | null;
  readonly size: number | null;
}): string {
  if (used === null) return "";
  return size === null ? `${used} tokens` : `${used} of ${size} tokens`;
}

/** Says what was reported of the use of tokens and money: what is unknown is left out. */
export function describeUsage(usage: TurnUsage): string {
  const counts = [
    [usage.total_tokens, "tokens"],
    [usage.input_tokens, "in"],
    [usage.output_tokens, "out"],
    [usage.cost?.amount, usage.cost?.currency],
  ] as const;
  return counts.flatMap(([count, unit]) => (count === undefined ? [] : [`${count} ${unit}`])).join(", ");
}

function quiet(text: string): LogText {
  return { text, label: "faint" };
}

function describeState(entry: EntryOf<"state">): LogText {
  const { state, reason, resumed, process, agent_info: info, error } = entry;
  const text = joinWords(
    state,
    reason === undefined ? "" : `(${reason})`,
    resumed,
    info && `${info.title ?? info.name} ${info.version}`,
    process && `pid ${process.pid}`,
    error && describeError(error),
  );
  const isBad = state === "failed" || state === "lost" || error !== undefined;
  return { text, label: isBad ? "error" : "faint", ...(isBad ? { tone: "error" as const } : {}) };
}

function describeTurn(entry: EntryOf<"turn">): LogText {
  const { turn, phase, stop_reason: reason, forced, steering, into, error, usage } = entry;
  const text = joinWords(
    `${turn} ${phase}`,
    reason,
    forced && "(forced)",
    steering && `(${steering}${into === undefined ? "" : ` into turn ${into}`})`,
    usage && describeUsage(usage),
    error && describeError(error),
  );
  if (phase !== "ended") return { text, label: "strong" };
  return reason === "end_turn" || reason === "steered" ? { text, label: "good" } : { text, label: "warn" };
}

export function describeError({ error_code: code, message }: OutcomeError): string {
  return `${code}: ${message}`;
}

export function joinWords(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ");
}
