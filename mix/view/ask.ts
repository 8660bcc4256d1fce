// SPDX-License-Identifier: MIT OR Apache-2.0
// Shows the asks of the service `notify`. Their text comes from other programs and is made printable, so that it cannot
// repaint the screen. Each option shows its kind, because its label may claim anything.
import type { NotifyAsk } from "../../agentd/vocabulary/notify.ts";
import { canShowNumbers } from "../questions/chosen-option.ts";
import { formatTimeUntil } from "../../display/units.ts";
import { printable, printableLine } from "../../display/printable.ts";
import type { Style, Text } from "../../display/styled.ts";
import { formatTable, uncut } from "./table.ts";

export function formatAskTable(asks: readonly NotifyAsk[], now: number, fit = uncut): string[] {
  const rows = asks.map((ask) => [
    ask.ask,
    ask.state,
    ask.state === "open" ? formatTimeUntil(ask.expires_at, now) : "-",
    ask.source,
    ask.title,
    ask.options.map(({ option, kind }) => `${option} [${kind}]`).join(", "),
  ]);
  const cuts = [
    { column: 5, min: 12 },
    { column: 3, min: 8 },
    { column: 4, min: 16 },
    { column: 5, min: 0 },
  ];
  return formatTable([["ASK", "STATE", "LEFT", "FROM", "TITLE", "OPTIONS"], ...rows], fit, cuts);
}

/** Renders an ask in full, because a person decides by it. */
export function renderAsk(ask: NotifyAsk, now: number, style: Style): Text[] {
  const from = ask.label === null ? ask.source : `${ask.source} (${ask.label})`;
  const isOpen = ask.state === "open";
  const left = `${formatTimeUntil(ask.expires_at, now)}${ask.expires_at === null ? "" : " left"}`;
  return [
    style.question(`? ${printableLine(ask.title)}`),
    ...printable(ask.body)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => `  ${line}`),
    ...(ask.incomplete ? [style.warn("  incomplete: the asking program left something out")] : []),
    style.faint(`  from ${printableLine(from)}, ${isOpen ? left : ask.state}`),
    ...renderOptions(ask.options),
    isOpen ? style.faint(`  answer: mix notify answer ${printableLine(ask.ask)} <option>`) : renderAskEnd(ask, style),
  ];
}

function renderOptions(options: NotifyAsk["options"]): string[] {
  const mark = canShowNumbers(options) ? (index: number) => `${index + 1})` : () => "-";
  return options.map(({ option, label, kind }, index) => {
    const name = label.trim() === "" ? option : label;
    return `  ${mark(index)} ${printableLine(name)}  [${printableLine(kind)}, ${printableLine(option)}]`;
  });
}

export function renderAskEnd(ask: NotifyAsk, style: Style): Text {
  return style.faint(`  → ${printableLine(ask.ask)}: ${describeEnd(ask)}`);
}

function describeEnd(ask: NotifyAsk): string {
  switch (ask.state) {
    case "open":
      return "open";
    case "answered": {
      const { option, by, via } = ask.answer;
      return `${printableLine(option)} (${printableLine([by, via].filter((word) => word !== null).join(", "))})`;
    }
    case "withdrawn":
      return `withdrawn, ${printableLine(ask.reason)}`;
    case "expired":
      return "expired";
  }
}
