// SPDX-License-Identifier: MIT OR Apache-2.0
// Shows tool calls: a line when one begins, its diffs as they come, its output and its status when it ends.
import { saysKind } from "../questions/subject.ts";
import { finalToolStatuses } from "../../agentd/vocabulary/entries.ts";
import type { ContentBlock, ToolCallEntry, ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { findDiffs, findOutputText } from "../../agent-client/view/content.ts";
import { renderDiff, type RenderedDiff } from "./diff.ts";
import { withoutColours } from "../../display/colour-sequences.ts";
import { truncateToWidth } from "../../display/width.ts";
import { foldPartialToolCall } from "../../agent-client/view/tool-call.ts";
import { homePath } from "../process/home-path.ts";
import { printable, printableLine } from "../../display/printable.ts";
import { type Style, rich, type Text } from "../../display/styled.ts";

export interface Screen {
  readonly style: Style;
  /** 0 means that nothing is wrapped or cut. */
  readonly columns: number;
  /** The home directory, on a terminal: written as `~`. */
  readonly home?: string;
}

interface ToolCall {
  fields: ToolCallFields;
  /** Keys of the diffs already shown, because some agents resend all content with every update. */
  readonly diffs: Set<string>;
}

export class ToolCalls {
  /** The session's directory; paths below it are shown relative to it. */
  directory: string | undefined;
  readonly #screen: Screen;
  readonly #calls = new Map<string, ToolCall>();
  /** Keys of the diffs that were shown, by the call's id. */
  readonly #diffs = new Map<string, Set<string>>();
  #lastCallId: string | undefined;
  /** Keys of the diffs that the latest output showed. */
  #lastDiffs: ReadonlySet<string> = new Set();

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Takes in an entry and returns the lines to write for it. `isBelowTools`: the output of a tool call stands above. */
  update(entry: ToolCallEntry, isBelowTools = true): Text[] {
    const id = entry.tool_call_id;
    const known = this.#calls.get(id);
    const call = known ?? { fields: { tool_call_id: id }, diffs: this.#diffsOf(id) };
    const { status: previousStatus } = call.fields;
    call.fields = foldPartialToolCall(call.fields, entry);
    if (known === undefined) remember(this.#calls, id, call);
    const previousDiffs = new Set(call.diffs);
    const { status } = call.fields;
    const isOver = finalToolStatuses.has(status);
    const lines = [
      ...(known === undefined && !isOver ? [this.#renderHeadline("•", call.fields)] : []),
      ...(entry.content || entry.grow ? renderNewDiffs(call, this.#screen, this.directory) : []),
    ];
    if (isOver && (known === undefined || previousStatus !== status))
      lines.push(...this.#renderEnd(id, call, entry, known !== undefined && isBelowTools));
    // An ended call's long fields are dropped; if the agent sends content later, it sends all of it.
    if (isOver) call.fields = { ...call.fields, content: null, raw_input: null, raw_output: null };
    if (lines.length > 0) {
      this.#lastCallId = id;
      this.#lastDiffs = new Set([...call.diffs].filter((diff) => !previousDiffs.has(diff)));
    }
    return lines;
  }

  /** Whether the latest output showed all diffs of this tool call. */
  hasJustShown(fields: ToolCallFields): boolean {
    return (
      this.#lastCallId === fields.tool_call_id &&
      findDiffs(fields).every((item) => this.#lastDiffs.has(toDiffKey(item)))
    );
  }

  /** Takes note of diffs that a question has shown, so that they are not shown again with their tool call. */
  noteShown(fields: ToolCallFields): void {
    const shown = this.#diffsOf(fields.tool_call_id);
    for (const item of findDiffs(fields)) shown.add(toDiffKey(item));
  }

  #renderEnd(id: string, { fields }: ToolCall, entry: ToolCallEntry, wasAnnounced: boolean): Text[] {
    const { style } = this.#screen;
    const { status } = fields;
    // Only the agent knows how a call ended that it left open, and that it did so is no failure.
    const isLeftOpen = entry.closed_by === "agentd";
    const mark = isLeftOpen ? "■" : (finalMarks[status ?? ""] ?? "•");
    const paint = isLeftOpen ? style.faint : status === "completed" ? style.good : style.error;
    const words = isLeftOpen ? "ended without a result" : printableLine(status ?? "");
    const isBelowOwnLine = wasAnnounced && this.#lastCallId === id;
    const head = isBelowOwnLine
      ? `  ${mark} ${words}`
      : rich`${this.#renderHeadline(mark, fields)}${isLeftOpen ? `: ${words}` : ""}`;
    return [...renderOutput(fields, this.#screen), paint(head)];
  }

  #renderHeadline(mark: string, call: ToolCallFields): Text {
    const { style, columns } = this.#screen;
    const kind = printableLine(call.tool_kind || "tool");
    const title = printableLine(call.title || "…");
    if (saysKind(kind, title)) {
      const shown = fit(title, columns, 2);
      return rich`${mark} ${style.code(shown.slice(0, kind.length))}${shown.slice(kind.length)}`;
    }
    return rich`${mark} ${style.code(kind)}  ${fit(title, columns, kind.length + 5)}`;
  }

  #diffsOf(id: string): Set<string> {
    const known = this.#diffs.get(id);
    if (known !== undefined) return known;
    const none = new Set<string>();
    remember(this.#diffs, id, none);
    return none;
  }
}

/** Forgets the oldest beyond the bound. */
function remember<Value>(map: Map<string, Value>, id: string, value: Value): void {
  const oldest = map.keys().next().value;
  if (map.size >= callsMax && oldest !== undefined) map.delete(oldest);
  map.set(id, value);
}

/** Renders a tool call's diffs for a permission request. `isWhole` shows every line in full. */
export function renderDiffs(
  fields: ToolCallFields,
  { directory, ...screen }: Screen & { readonly directory?: string | undefined },
  isWhole = false,
): RenderedDiff {
  const room = isWhole ? { columns: 0, linesMax: Number.POSITIVE_INFINITY } : {};
  const diffs = findDiffs(fields).map((item) => renderDiffItem(item, { ...screen, ...room }, directory));
  return { lines: diffs.flatMap(({ lines }) => lines), isCut: diffs.some(({ isCut }) => isCut) };
}

/** Returns the paths and the old and new texts that `renderDiffs` shows. */
export function collectDiffFacts(fields: ToolCallFields): {
  readonly paths: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
} {
  const diffs = findDiffs(fields).filter(({ newText }) => typeof newText === "string");
  const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
  return {
    paths: new Set(diffs.map(({ path }) => path).filter(isText)),
    texts: new Set(diffs.flatMap(({ oldText, newText }) => [oldText, newText]).filter(isText)),
  };
}

export const finalMarks: Readonly<Record<string, string>> = { completed: "✔", failed: "✘", cancelled: "■" };
const callsMax = 1_000;
const diffLinesMax = 60;
const outputLinesMax = 14;
const outputEndLines = 6;

function renderNewDiffs(call: ToolCall, screen: Screen, directory: string | undefined): Text[] {
  const lines: Text[] = [];
  for (const item of findDiffs(call.fields)) {
    const key = toDiffKey(item);
    if (call.diffs.has(key)) continue;
    call.diffs.add(key);
    lines.push(...renderDiffItem(item, screen, directory).lines);
  }
  return lines;
}

function toDiffKey({ path, oldText, newText }: ContentBlock): string {
  return JSON.stringify([path, oldText, newText]);
}

function renderDiffItem(
  item: ContentBlock,
  { style, columns, home, linesMax = diffLinesMax }: Screen & { readonly linesMax?: number },
  directory?: string,
): RenderedDiff {
  const { path, oldText, newText } = item;
  if (typeof newText !== "string") return { lines: [], isCut: false };
  const before = typeof oldText === "string" ? oldText : "";
  const { lines, isCut } = renderDiff(before, newText, {
    style,
    columns: columns === 0 ? 0 : columns - 4,
    linesMax,
  });
  const name = typeof path === "string" ? printableLine(shortenPath(path, directory, home)) : "a file";
  const head = rich`  ${style.strong(name)}${typeof oldText === "string" ? "" : style.faint(" (new)")}`;
  return {
    lines: [head, ...lines.map((line) => rich`    ${line}`)],
    isCut,
  };
}

function renderOutput(call: ToolCallFields, { style, columns }: Screen): Text[] {
  const text = printable(withoutColours(findOutputText(call))).trimEnd();
  return text === "" ? [] : renderLines(withoutMiddle(text.split("\n"), style), columns);
}

/** Keeps the beginning and the end, where a program says what it did and how it ended. */
export function withoutMiddle(lines: readonly string[], style: Style): Text[] {
  const omitted = lines.length - outputLinesMax;
  // A note in the place of a single line would save nothing.
  if (omitted <= 1) return [...lines];
  return [
    ...lines.slice(0, outputLinesMax - outputEndLines),
    style.faint(`… ${omitted} more lines …`),
    ...lines.slice(-outputEndLines),
  ];
}

/** Renders lines of output, cut to the screen. */
export function renderLines(lines: readonly Text[], columns: number): Text[] {
  return lines.map(
    (line) => rich`    ${typeof line === "string" ? fit(line.replaceAll("\t", "    "), columns, 4) : line}`,
  );
}

/** Makes a path below the session's directory relative to it; of other paths, writes the home directory as `~`. */
export function shortenPath(path: string, directory: string | undefined, home = ""): string {
  if (directory !== undefined && path.startsWith(`${directory}/`)) return path.slice(directory.length + 1);
  return homePath(path, { home });
}

/** Cuts the text to what `taken` columns leave of the screen. */
export function fit(text: string, columns: number, taken: number): string {
  return columns === 0 ? text : truncateToWidth(text, Math.max(8, columns - taken));
}
