// SPDX-License-Identifier: MIT OR Apache-2.0
// Tool calls with their state: a line when one begins, what it changed as a diff, its output and how it ended.
import type { ContentBlock, TextGrowth, ToolCallEntry, ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { contentToText } from "./content.ts";
import { renderDiff } from "./diff.ts";
import type { RenderedDiff } from "./diff.ts";
import { fitted } from "../../display/width.ts";
import { grown } from "../entries/growth.ts";
import { printable, printableLine } from "../../display/printable.ts";
import { shortenPath } from "./short-path.ts";
import { type Style, rich, type Text } from "../../display/styled.ts";

export interface Screen {
  readonly style: Style;
  readonly columns: number;
}

interface ToolCall {
  title: string;
  kind: string;
  status: string;
  /** As it was said last, with what it grew by since. */
  content: ToolCallFields["content"];
  /** Diffs that were shown, so that an agent which sends all content again does not show them again. */
  readonly diffs: Set<string>;
}

export class ToolCalls {
  /** Of the session: paths below it are shown without it. */
  directory: string | undefined;
  readonly #view: Screen;
  readonly #calls = new Map<string, ToolCall>();
  #last: string | undefined;
  /** Diffs among the last lines. */
  #lastDiffs: ReadonlySet<string> = new Set();

  constructor(view: Screen) {
    this.#view = view;
  }

  /** The lines that this entry adds. */
  update(entry: ToolCallEntry): Text[] {
    const id = entry.tool_call_id;
    const known = this.#calls.get(id);
    const call = known ?? { title: "", kind: "", status: "pending", content: null, diffs: new Set<string>() };
    const before = call.status;
    mergeEntry(call, entry);
    if (known === undefined) this.#remember(id, call);
    const earlier = new Set(call.diffs);
    const isOver = finalMarks[call.status] !== undefined;
    const lines = [
      ...(known === undefined && !isOver ? [this.#renderHeadline("•", call)] : []),
      ...(entry.content || entry.grow ? renderNewDiffs(call, this.#view, this.directory) : []),
    ];
    if (isOver && (known === undefined || before !== call.status))
      lines.push(...this.#renderEnd(id, call, entry, known !== undefined));
    // A call that is over says its content whole if it says it again.
    if (isOver) call.content = null;
    if (lines.length > 0) {
      this.#last = id;
      this.#lastDiffs = new Set([...call.diffs].filter((diff) => !earlier.has(diff)));
    }
    return lines;
  }

  /** Whether what the fields change is what the last lines showed. */
  hasJustShown(fields: ToolCallFields): boolean {
    return (
      this.#last === fields.tool_call_id && findDiffs(fields).every((item) => this.#lastDiffs.has(toDiffKey(item)))
    );
  }

  #renderEnd(id: string, call: ToolCall, entry: ToolCallEntry, announced: boolean): Text[] {
    const { style } = this.#view;
    const mark = finalMarks[call.status] ?? "•";
    const colour = call.status === "completed" ? style.green : style.red;
    const note = entry.closed_by === "agentd" ? " (closed when the turn ended)" : "";
    const follows = announced && this.#last === id;
    const head = follows
      ? `  ${mark} ${printableLine(call.status)}${note}`
      : rich`${this.#renderHeadline(mark, call)}${note}`;
    return [...renderOutput(call, this.#view), colour(head)];
  }

  #renderHeadline(mark: string, call: ToolCall): Text {
    const { style, columns } = this.#view;
    const kind = printableLine(call.kind === "" ? "tool" : call.kind);
    const title = printableLine(call.title === "" ? "…" : call.title);
    const room = columns === 0 ? title : fitted(title, Math.max(8, columns - kind.length - 5));
    return rich`${mark} ${style.cyan(kind)}  ${room}`;
  }

  #remember(id: string, call: ToolCall): void {
    const oldest = this.#calls.keys().next().value;
    if (this.#calls.size >= callsMax && oldest !== undefined) this.#calls.delete(oldest);
    this.#calls.set(id, call);
  }
}

/** Diffs of a tool call as indented lines, for a permission question. `isWhole`: no line is left out, and none cut. */
export function renderDiffs(fields: ToolCallFields, { style, columns }: Screen, isWhole = false): RenderedDiff {
  const room = isWhole ? { columns: 0, linesMax: Number.POSITIVE_INFINITY } : { columns };
  const diffs = findDiffs(fields).map((item) => renderDiffItem(item, { style, ...room }));
  return { lines: diffs.flatMap(({ lines }) => lines), isCut: diffs.some(({ isCut }) => isCut) };
}

/** What `diffBlock` tells: the paths, and the texts before and after. */
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

const finalMarks: Readonly<Record<string, string>> = { completed: "✔", failed: "✘", cancelled: "■" };
const callsMax = 1_000;
const diffLinesMax = 60;
const outputLinesMax = 12;

function mergeEntry(call: ToolCall, entry: ToolCallEntry): void {
  call.title = entry.title ?? call.title;
  call.kind = entry.tool_kind ?? call.kind;
  call.status = entry.status ?? call.status;
  call.content = entry.content ?? call.content;
  for (const { path, at, text } of entry.grow ?? []) {
    if (path[0] !== "content") continue;
    call.content = grown(call.content ?? toPlaceholder(path, at), path.slice(1), text) as ToolCall["content"];
  }
}

/** For who has not seen what a text grew from: a mark in its place. */
function toPlaceholder(path: TextGrowth["path"], at: number): ToolCall["content"] {
  const isOutput = path.length === 4 && path[2] === "content" && path[3] === "text";
  if (!isOutput || path[1] !== 0) return null;
  return [{ type: "content", content: { type: "text", text: `… ${at} characters before …\n` } }];
}

function renderNewDiffs(call: ToolCall, view: Screen, directory: string | undefined): Text[] {
  const lines: Text[] = [];
  for (const item of findDiffs(call)) {
    const key = toDiffKey(item);
    if (call.diffs.has(key)) continue;
    call.diffs.add(key);
    lines.push(...renderDiffItem(item, view, directory).lines);
  }
  return lines;
}

function findDiffs(fields: Pick<ToolCallFields, "content">): ContentBlock[] {
  return findContentBlocks(fields).filter(({ type }) => type === "diff");
}

function toDiffKey({ path, oldText, newText }: ContentBlock): string {
  return JSON.stringify([path, oldText, newText]);
}

function renderDiffItem(
  item: ContentBlock,
  { style, columns, linesMax = diffLinesMax }: Screen & { readonly linesMax?: number },
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
  const name = typeof path === "string" ? printableLine(shortenPath(path, directory)) : "a file";
  const head = rich`  ${style.bold(name)}${typeof oldText === "string" ? "" : style.dim(" (new)")}`;
  return {
    lines: [head, ...lines.map((line) => rich`    ${line}`)],
    isCut,
  };
}

function renderOutput(call: ToolCall, { style, columns }: Screen): Text[] {
  const text = printable(findOutputText(call)).trimEnd();
  if (text === "") return [];
  const all = text.split("\n");
  const cut =
    all.length > outputLinesMax
      ? [...all.slice(0, outputLinesMax), `… ${all.length - outputLinesMax} more lines`]
      : all;
  return cut.map((line) => style.dim(`    ${columns === 0 ? line : fitted(line, columns - 4)}`));
}

function findOutputText(fields: Pick<ToolCallFields, "content">): string {
  return findContentBlocks(fields)
    .map((item) => (item.type === "content" && isContentBlock(item["content"]) ? contentToText(item["content"]) : ""))
    .filter((text) => text !== "")
    .join("\n");
}

function findContentBlocks(fields: Pick<ToolCallFields, "content">): ContentBlock[] {
  return (fields.content ?? []).filter(isContentBlock);
}

function isContentBlock(value: unknown): value is ContentBlock {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
