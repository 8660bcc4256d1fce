// SPDX-License-Identifier: MIT OR Apache-2.0
// Markdown by lines: what a line is, decided from its beginning as soon as that is certain. Lists are read more leniently
// than in CommonMark, because models indent them loosely; raw HTML is text.

/** What a line stands in: a quote, or an item of a list. */
export type Container =
  | { readonly kind: "quote" }
  | {
      readonly kind: "item";
      /** Columns of the source before the marker and before the item's text. */
      readonly marker: number;
      readonly content: number;
      /** What is drawn before the item's text. */
      readonly drawn: string;
    };

export interface Fence {
  readonly mark: string;
  readonly indent: number;
  readonly language: string;
  readonly containers: readonly Container[];
}

export interface Line {
  readonly kind: "text" | "heading" | "code" | "fence" | "fence end" | "rule" | "table" | "blank";
  /** What is left of the line after its beginning. */
  readonly rest: string;
  readonly containers: readonly Container[];
  /** How many of the containers went on from the line before. */
  readonly kept: number;
  /** Of a heading, 1 to 6. */
  readonly level?: number;
  readonly fence?: Fence;
}

/** What the lines before tell. */
export interface LineContext {
  readonly containers: readonly Container[];
  readonly fence: Fence | undefined;
  /** Whether nothing, an empty line or code by indentation stands before. */
  readonly isAfterBlank: boolean;
}

/** Decides what a line is by its beginning, or undefined if more is needed. `isWhole`: nothing of the line follows. */
export function lineOf(head: string, context: LineContext, isWhole: boolean): Line | undefined {
  const place = matched(head, context.containers, isWhole, context.fence !== undefined);
  if (place === undefined) return undefined;
  const { fence } = context;
  if (fence !== undefined && place.kept >= quotesIn(fence.containers).length) return codeLine(place, fence, isWhole);
  return beginning(place, context, isWhole) ?? (head.length > headMax ? textLine(place) : undefined);
}

interface Place {
  readonly rest: string;
  readonly containers: readonly Container[];
  readonly kept: number;
}

/** Reads the marks of the containers that are still open. */
function matched(head: string, containers: readonly Container[], isWhole: boolean, isCode: boolean): Place | undefined {
  let rest = head;
  let kept = 0;
  for (const container of containers) {
    const indent = spacesBefore(rest);
    const isEmpty = indent === rest.length;
    if (isEmpty && !isWhole && indent < untilCertain) return undefined;
    if (container.kind === "quote") {
      if (indent > 3 || rest[indent] !== ">") break;
      const after = rest.slice(indent + 1);
      if (after === "" && !isWhole) return undefined;
      rest = after.startsWith(" ") ? after.slice(1) : after;
    } else if (isEmpty) {
      // An empty line ends no item.
    } else if (indent >= container.content) rest = rest.slice(container.content);
    else if (indent >= container.marker + 2 || isCode) rest = rest.slice(indent);
    else break;
    kept += 1;
  }
  return { rest, containers: containers.slice(0, kept), kept };
}

/** The containers up to the innermost quote. */
export function quotesIn(containers: readonly Container[]): readonly Container[] {
  return containers.slice(0, containers.findLastIndex(({ kind }) => kind === "quote") + 1);
}

function codeLine(place: Place, fence: Fence, isWhole: boolean): Line | undefined {
  const { rest } = place;
  const body = rest.trim();
  const at = { containers: fence.containers, kept: fence.containers.length };
  if (body === "" || (fence.mark.startsWith(body[0]!) && isRunOf(body, body[0]!))) {
    if (!isWhole) return undefined;
    if (body.length >= fence.mark.length) return { kind: "fence end", rest: "", ...at };
  }
  return { kind: "code", rest: rest.slice(Math.min(fence.indent, spacesBefore(rest))), ...at, fence };
}

/** Reads new containers and what stands in them. */
function beginning(place: Place, context: LineContext, isWhole: boolean): Line | undefined {
  const { kept } = place;
  let { rest, containers } = place;
  for (let depth = 0; ; depth += 1) {
    const indent = spacesBefore(rest);
    const body = rest.slice(indent);
    const at = { containers, kept };
    if (body === "") return isWhole ? { kind: "blank", rest, ...at } : undefined;
    if (indent < 4 && !special.test(body)) return textLine({ rest, ...at });
    // Code by indentation, which only an empty line before it tells from a text that goes on.
    if (indent > 3 && context.isAfterBlank && containers.length === 0)
      return { kind: "code", rest: rest.slice(4), ...at };
    if (couldBeRule.test(body)) {
      if (!isWhole) return undefined;
      if (rule.test(body)) return { kind: "rule", rest: "", ...at };
    }
    if (depth < depthMax && body.startsWith(">")) {
      if (body === ">" && !isWhole) return undefined;
      containers = [...containers, { kind: "quote" }];
      rest = body.slice(body[1] === " " ? 2 : 1);
      continue;
    }
    if (!isWhole && couldBeMarker.test(body)) return undefined;
    const marker = depth < depthMax ? itemMarker.exec(body) : null;
    if (marker === null) return leaf(body, indent, at, isWhole);
    const [written, sign = ""] = marker;
    const after = body.slice(written.length);
    if (!isWhole && unfinishedTask.test(after)) return undefined;
    const task = /^\[([ xX])\] +/.exec(after);
    const bullet = /\d/.test(sign) ? `${sign} ` : "• ";
    const drawn = task === null ? bullet : `${/\d/.test(sign) ? bullet : ""}${task[1] === " " ? "☐" : "☑"} `;
    containers = [...containers, { kind: "item", marker: indent, content: indent + written.length, drawn }];
    rest = after.slice(task?.[0].length ?? 0);
    if (rest === "" && isWhole) return { kind: "text", rest, containers, kept };
  }
}

function leaf(body: string, indent: number, at: Omit<Place, "rest">, isWhole: boolean): Line | undefined {
  if (body[0] === "#") {
    const heading = /^(#{1,6})(?: +|$)/.exec(body);
    if (!isWhole && /^#{1,6} *$/.test(body)) return undefined;
    if (heading !== null) {
      return { kind: "heading", rest: body.slice(heading[0].length), ...at, level: heading[1]!.length };
    }
  }
  if (!isWhole && (body[0] === "|" || couldBeFence.test(body))) return undefined;
  if (body[0] === "|") return { kind: "table", rest: body, ...at };
  const [, mark, language = ""] = fenceStart.exec(body) ?? [];
  if (mark !== undefined) {
    const fence = { mark, indent, language: language.trim().toLowerCase(), containers: at.containers };
    return { kind: "fence", rest: "", ...at, fence };
  }
  return { kind: "text", rest: " ".repeat(indent) + body, ...at };
}

function textLine({ rest, containers, kept }: Place): Line {
  return { kind: "text", rest, containers, kept };
}

function spacesBefore(text: string): number {
  let count = 0;
  while (text[count] === " ") count += 1;
  return count;
}

function isRunOf(text: string, character: string): boolean {
  return text === character.repeat(text.length);
}

/** The cells of a table's row. */
export function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

export type Alignment = "left" | "right" | "center";

/** The alignments of a row such as `|---|:-:|`; undefined for any other row. */
export function alignmentsOf(row: string): readonly Alignment[] | undefined {
  const cells = cellsOf(row);
  if (!cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) => (!cell.endsWith(":") ? "left" : cell.startsWith(":") ? "center" : "right"));
}

/** Other lines are text. */
const special = /^[#>\-*_+|`~\d]/;
const rule = /^([-*_])(?: *\1){2,} *$/;
const couldBeRule = /^([-*_])(?: *\1)* *$/;
const couldBeMarker = /^(?:[-*+] *|\d{1,9}(?:[.)] *)?)$/;
const itemMarker = /^([-*+]|\d{1,9}[.)])(?: {1,4}(?! )| (?= {4})|$)/;
const unfinishedTask = /^(?:\[(?:[ xX](?:\] *)?)?)?$/;
const couldBeFence = /^(?:`{1,2}|~{1,2}|`{3}[^`]*|~{3}.*|`{4,}[^`]*)$/;
const fenceStart = /^(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
const depthMax = 12;
/** So many spaces at a line's beginning leave nothing open. */
const untilCertain = 200;
/** A line that is undecided for so long is text. */
const headMax = 16_384;
