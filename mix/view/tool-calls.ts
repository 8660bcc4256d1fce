// SPDX-License-Identifier: MIT OR Apache-2.0
// Shows tool calls: a headline, diffs as they come, the output and the status at the end. Some agents begin a call with a
// placeholder for its title and send the true one soon after, so a headline is held back until the title has changed, there
// is content, the call has ended, or the caller takes it. A title that changes later is on the line of the result.
import { saysKind } from "../questions/subject.ts";
import { finalToolStatuses } from "../../agentd/vocabulary/entries.ts";
import type { ContentBlock, PermissionEntry, ToolCallEntry, ToolCallFields } from "../../agentd/vocabulary/entries.ts";
import { findDiffs, findOutputText } from "../../agent-client/view/content.ts";
import { renderDiff, type RenderedDiff } from "./diff.ts";
import { withoutColours } from "../../display/colour-sequences.ts";
import { truncateToWidth } from "../../display/width.ts";
import { foldPartialToolCall, foldToolCall, startsNewCall } from "../../agent-client/view/tool-call.ts";
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
  /** What its headline shows, once it is shown. */
  headline: string | undefined;
}

export class ToolCalls {
  /** The session's directory; paths below it are shown relative to it. */
  directory: string | undefined;
  readonly #screen: Screen;
  readonly #calls = new Map<string, ToolCall>();
  /** Keys of the diffs that were shown, by the call's id. */
  readonly #diffs = new Map<string, Set<string>>();
  /** Calls whose headline is held back, and when they began, in milliseconds. */
  readonly #held = new Map<string, number>();
  #lastCallId: string | undefined;
  /** The parent of the call that the latest output is about. */
  #lastParent: string | undefined;
  /** Keys of the diffs that the latest output showed. */
  #lastDiffs: ReadonlySet<string> = new Set();

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /**
   * Takes in an entry, logged at `at` in milliseconds, and returns the lines to write for it. `isBelowTools`: the output of a
   * tool call stands above.
   */
  update(entry: ToolCallEntry, at: number, isBelowTools = true): Text[] {
    const id = entry.tool_call_id;
    const before = this.#calls.get(id);
    const known = before !== undefined && startsNewCall(before.fields, entry) ? undefined : before;
    const call = known ?? { fields: { tool_call_id: id }, diffs: this.#diffsOf(id), headline: undefined };
    const { status: previousStatus } = call.fields;
    const previousHeadline = headlineOf(call.fields);
    call.fields = foldPartialToolCall(call.fields, entry);
    if (known === undefined) remember(this.#calls, id, call);
    const previousDiffs = new Set(call.diffs);
    const { status } = call.fields;
    const isOver = finalToolStatuses.has(status);
    const hasContent = (entry.content ?? []).length > 0 || entry.grow !== undefined;
    const isRenamed = known !== undefined && headlineOf(call.fields) !== previousHeadline;
    if (known === undefined && !isOver) this.#held.set(id, at);
    const isBelowParent = isBelowTools && this.#isBelowParent(call.fields);
    const lines: Text[] = hasContent || isRenamed || isOver ? this.#showHeadline(id, call, isBelowParent) : [];
    const isBelowOwnLine = known !== undefined && (isBelowTools || lines.length > 0);
    if (hasContent) lines.push(...renderNewDiffs(call, this.#screen, this.directory));
    if (lines.length > 0) this.#lastCallId = id;
    const isNamed = isBelowParent || lines.length > 0;
    if (isOver && (known === undefined || previousStatus !== status))
      lines.push(...this.#renderEnd(id, call, entry, isBelowOwnLine, isNamed));
    // An ended call's long fields are dropped; if the agent sends content later, it sends all of it.
    if (isOver) call.fields = { ...call.fields, content: null, raw_input: null, raw_output: null };
    if (lines.length > 0) {
      this.#lastCallId = id;
      this.#lastParent = call.fields.parent_tool_call_id ?? undefined;
      this.#lastDiffs = new Set([...call.diffs].filter((diff) => !previousDiffs.has(diff)));
    }
    return this.#indented(call.fields, lines);
  }

  /** Takes in the title of a call that a permission request carries itself. */
  learnTitle(asked: PermissionEntry): void {
    const call = asked.agent_session === undefined && this.#calls.get(asked.tool_call?.tool_call_id ?? "");
    if (!call) return;
    const { title, tool_kind } = foldToolCall(call.fields, asked);
    call.fields = { ...call.fields, title, tool_kind };
  }

  /** When the oldest call began whose headline is held back, in milliseconds. */
  get heldSince(): number | undefined {
    const [since] = this.#held.values();
    return since;
  }

  /** Returns the headlines that are held back of calls that began at `until` or before, by default all. */
  takeHeld(until = Number.POSITIVE_INFINITY, isBelowTools = true): Text[] {
    const due = Array.from(this.#held).filter(([, since]) => since <= until);
    return due.flatMap(([id]) => {
      const call = this.#calls.get(id);
      if (call === undefined) return [];
      const lines = this.#showHeadline(id, call, isBelowTools && this.#isBelowParent(call.fields));
      this.#lastCallId = id;
      this.#lastParent = call.fields.parent_tool_call_id ?? undefined;
      this.#lastDiffs = new Set();
      return this.#indented(call.fields, lines);
    });
  }

  /** The title of the call that started the sub-agent whose call this is, for people; undefined for the agent's own. */
  #parentOf({ parent_tool_call_id }: ToolCallFields): string | undefined {
    if (typeof parent_tool_call_id !== "string") return undefined;
    return printableLine(this.#calls.get(parent_tool_call_id)?.fields.title || parent_tool_call_id);
  }

  /** Whether the latest output is about the call's parent, or another call of the same sub-agent. */
  #isBelowParent({ parent_tool_call_id: parent }: ToolCallFields): boolean {
    return typeof parent === "string" && (this.#lastCallId === parent || this.#lastParent === parent);
  }

  #indented({ parent_tool_call_id: parent }: ToolCallFields, lines: readonly Text[]): Text[] {
    return typeof parent === "string" ? lines.map((line) => rich`  ${line}`) : [...lines];
  }

  /** Returns the headline if it was held back. */
  #showHeadline(id: string, call: ToolCall, isBelowParent: boolean): Text[] {
    if (!this.#held.delete(id)) return [];
    call.headline = headlineOf(call.fields);
    return [this.#renderHeadline("•", call.fields, isBelowParent)];
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

  #renderEnd(
    id: string,
    { fields, headline }: ToolCall,
    entry: ToolCallEntry,
    wasAnnounced: boolean,
    isNamed: boolean,
  ): Text[] {
    const { style } = this.#screen;
    const { status } = fields;
    // Only the agent knows how a call ended that it left open, and that it did so is no failure.
    const isLeftOpen = entry.closed_by === "agentd";
    const mark = isLeftOpen ? "■" : (finalMarks[status ?? ""] ?? "•");
    const paint = isLeftOpen ? style.faint : status === "completed" ? style.good : style.error;
    const words = isLeftOpen ? "ended without a result" : printableLine(status ?? "");
    const isBelowOwnLine = wasAnnounced && this.#lastCallId === id && headline === headlineOf(fields);
    const head = isBelowOwnLine
      ? `  ${mark} ${words}`
      : rich`${this.#renderHeadline(mark, fields, isNamed)}${isLeftOpen ? `: ${words}` : ""}`;
    return [...renderOutput(fields, this.#screen), paint(head)];
  }

  /** `isNamed`: the line above says whose call it is, if it is a sub-agent's. */
  #renderHeadline(mark: string, call: ToolCallFields, isNamed: boolean): Text {
    const { style, columns } = this.#screen;
    const kind = printableLine(call.tool_kind || "tool");
    const title = printableLine(call.title || "…");
    const saidByTitle = saysKind(kind, title);
    const taken = saidByTitle ? 2 : kind.length + 5;
    const head = (shown: string): Text =>
      saidByTitle
        ? rich`${mark} ${style.code(shown.slice(0, kind.length))}${shown.slice(kind.length)}`
        : rich`${mark} ${style.code(kind)}  ${shown}`;
    const parent = this.#parentOf(call);
    if (parent === undefined) return head(fit(title, columns, taken));
    const of = isNamed ? "" : ` (in ${fit(parent, columns, columns - parentColumnsMax)})`;
    return rich`${head(fit(title, columns, taken + 2 + of.length))}${of === "" ? "" : style.faint(of)}`;
  }

  #diffsOf(id: string): Set<string> {
    const known = this.#diffs.get(id);
    if (known !== undefined) return known;
    const none = new Set<string>();
    remember(this.#diffs, id, none);
    return none;
  }
}

/** What a headline shows, to be compared. */
function headlineOf({ title, tool_kind }: ToolCallFields): string {
  return JSON.stringify([title ?? "", tool_kind ?? ""]);
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
const parentColumnsMax = 30;
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
