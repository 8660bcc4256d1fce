// SPDX-License-Identifier: MIT OR Apache-2.0
// Files and terminals that an agent asked of its client, as people read them. What it only read, and what it only meant
// to write, are not shown: the log has them.
import type { FileEntry, TerminalEntry } from "../../agentd/vocabulary/entries.ts";
import { fitted } from "../../display/width.ts";
import { printable, printableLine } from "../../display/printable.ts";
import { shortenPath } from "./short-path.ts";
import { type Style, rich, type Text } from "../../display/styled.ts";

export interface ClientSideRenderOptions {
  readonly style: Style;
  /** 0: nothing is cut. */
  readonly columns: number;
  /** The session's: paths below it are shown without it. */
  readonly directory: string | undefined;
}

export function renderFileEntry(entry: FileEntry, { style, directory }: ClientSideRenderOptions): Text[] {
  const path = printableLine(shortenPath(entry.path, directory));
  if (entry.phase === "refused") {
    // To look whether there is a file is no fault.
    if (entry.op === "read" && entry.reason === "missing") return [];
    return [style.red(`✘ ${entry.op} ${path}: ${printableLine(entry.message ?? entry.reason ?? "refused")}`)];
  }
  return entry.phase === "done" && entry.op === "write" ? [style.green(`✔ wrote ${path}, ${entry.bytes} bytes`)] : [];
}

/** How it ended stands under its output; which one it was is said, since several may run at once. */
export function renderTerminalEntry(entry: TerminalEntry, view: ClientSideRenderOptions): Text[] {
  const { style } = view;
  const name = printableLine(entry.terminal);
  switch (entry.phase) {
    case "started":
      return [rich`• ${style.cyan(name)}  ${room(formatCommand(entry), name, view)}`];
    case "failed":
      return [style.red(`✘ ${name}: ${printableLine(entry.message ?? "could not be started")}`)];
    case "exited":
      return [...renderTail(entry, view), renderExit(entry, name, style)];
    case "killed":
      return [style.yellow(`■ ${name} is killed`)];
    case "released":
      return [];
  }
}

const tailLinesMax = 12;

function renderTail({ tail = "", truncated }: TerminalEntry, { style, columns }: ClientSideRenderOptions): Text[] {
  if (tail.trim() === "") return [];
  // A tail can be of megabytes; its last lines are within its last bytes, unless they are very long.
  const text = tail.slice(-tailCharactersMax);
  const lines = printable(text).trimEnd().split("\n");
  const shown = lines.slice(-tailLinesMax);
  const isCut = truncated === true || text.length < tail.length || shown.length < lines.length;
  return [...(isCut ? ["…"] : []), ...shown].map((line) =>
    style.dim(`    ${columns === 0 ? line : fitted(line, Math.max(8, columns - 4))}`),
  );
}

const tailCharactersMax = 16 * 1024;

function renderExit({ exit_code: code, signal }: TerminalEntry, name: string, style: Style): Text {
  if (code === 0) return style.green(`  ✔ ${name} done`);
  if (typeof code === "number") return style.red(`  ✘ ${name} exit code ${code}`);
  return style.yellow(typeof signal === "string" ? `  ■ ${name} ${printableLine(signal)}` : `  ■ ${name} ended`);
}

function formatCommand({ command = "", args = [] }: TerminalEntry): string {
  return printableLine([command, ...args].join(" "));
}

function room(text: string, name: string, { columns }: ClientSideRenderOptions): string {
  return columns === 0 ? text : fitted(text, Math.max(8, columns - name.length - 5));
}
