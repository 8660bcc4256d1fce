// SPDX-License-Identifier: MIT OR Apache-2.0
// Shows the agent's client-side requests: finished writes, refusals and terminals. Successful reads and intended
// writes are only in the log.
import type { FileEntry, TerminalEntry } from "../../agentd/vocabulary/entries.ts";
import { printable, printableLine } from "../../display/printable.ts";
import { withoutColours } from "../../display/colour-sequences.ts";
import { fit, renderLines, type Screen, shortenPath, withoutMiddle } from "./tool-calls.ts";
import { type Style, rich, type Text } from "../../display/styled.ts";

export interface ClientSideRenderOptions extends Screen {
  /** The session's directory; paths below it are shown relative to it. */
  readonly directory: string | undefined;
}

export function renderFileEntry(entry: FileEntry, { style, directory, home }: ClientSideRenderOptions): Text[] {
  const path = printableLine(shortenPath(entry.path, directory, home));
  if (entry.phase === "refused") {
    // Agents read a missing file to see whether it exists; that is not an error.
    if (entry.op === "read" && entry.reason === "missing") return [];
    return [style.error(`✘ ${entry.op} ${path}: ${printableLine(entry.message ?? entry.reason ?? "refused")}`)];
  }
  return entry.phase === "done" && entry.op === "write" ? [style.good(`✔ wrote ${path}, ${entry.bytes} bytes`)] : [];
}

/** Renders a terminal's change. Each line names the terminal, because several may run at once. */
export function renderTerminalEntry(entry: TerminalEntry, options: ClientSideRenderOptions): Text[] {
  const { style } = options;
  const name = printableLine(entry.terminal);
  switch (entry.phase) {
    case "started":
      return [rich`• ${style.code(name)}  ${fit(formatCommand(entry), options.columns, name.length + 5)}`];
    case "failed":
      return [style.error(`✘ ${name}: ${printableLine(entry.message ?? "could not be started")}`)];
    case "exited":
      return [...renderTail(entry, options), renderExit(entry, name, style)];
    case "killed":
      return [style.warn(`■ ${name} killed`)];
    case "released":
      return [];
  }
}

const tailLinesMax = 12;

function renderTail({ tail = "", truncated }: TerminalEntry, { style, columns }: ClientSideRenderOptions): Text[] {
  if (tail.trim() === "") return [];
  // A tail can have megabytes. Its end holds the last lines, unless they are very long.
  const text = withoutColours(tail.slice(-tailCharactersMax - colourMax)).slice(-tailCharactersMax);
  const lines = printable(text).trimEnd().split("\n");
  const isCut = truncated === true || tail.length > tailCharactersMax;
  if (!isCut) return renderLines(withoutMiddle(lines, style), columns);
  return renderLines([style.faint("… more lines before …"), ...lines.slice(-tailLinesMax)], columns);
}

/** Room for a colour sequence that the cut would leave the end of. */
const colourMax = 64;

const tailCharactersMax = 16 * 1024;

function renderExit({ exit_code: code, signal }: TerminalEntry, name: string, style: Style): Text {
  if (code === 0) return style.good(`  ✔ ${name} done`);
  if (typeof code === "number") return style.error(`  ✘ ${name} exit code ${code}`);
  return style.warn(typeof signal === "string" ? `  ■ ${name} ${printableLine(signal)}` : `  ■ ${name} ended`);
}

function formatCommand({ command = "", args = [] }: TerminalEntry): string {
  return printableLine([command, ...args].join(" "));
}
