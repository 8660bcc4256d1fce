// SPDX-License-Identifier: MIT OR Apache-2.0
// Texts of a session that come over several entries, read from its first entry on: messages, summaries, and the output
// of tool calls. Which string of an entry goes on with which text.
import { finalToolStatuses, type TextGrowth } from "../vocabulary/index.ts";
import type { JsonString } from "./json-strings.ts";

/** A text with what is kept of it by whoever reads it. */
export interface TextStream<T> {
  kept: T | undefined;
}

type Members = Readonly<Record<string, unknown>>;

export class TextStreams<T> {
  readonly #said = new Map<string, TextStream<T>>();
  /** By tool call, then by the path of the text in it. */
  readonly #outputs = new Map<string, Map<string, TextStream<T>>>();

  /** The text that the string goes on with, or begins; undefined for one that stands alone. */
  of(entry: Members, string: JsonString): TextStream<T> | undefined {
    if (string.name) return undefined;
    if (entry["kind"] === "tool_call") return this.#outputOf(entry, string);
    const text = saidText(entry, string);
    if (text === undefined) return undefined;
    const stream = this.#said.get(text) ?? { kept: undefined };
    toEnd(this.#said, text, stream, saidTextsMax);
    return stream;
  }

  /** Before an entry's strings: a tool call that says its content anew begins its texts anew. */
  enter(entry: Members): void {
    if (entry["kind"] !== "tool_call") return;
    const texts = this.#outputs.get(String(entry["tool_call_id"]));
    for (const [path] of texts ?? []) {
      const [member] = JSON.parse(path) as [string];
      if (member in entry) texts?.delete(path);
    }
  }

  /** After them: a closed call's texts do not go on. */
  leave(entry: Members): void {
    if (entry["kind"] === "tool_call" && finalToolStatuses.has(entry["status"])) {
      this.#outputs.delete(String(entry["tool_call_id"]));
    }
  }

  #outputOf(entry: Members, { path }: JsonString): TextStream<T> | undefined {
    const grown = path[0] === "grow" && path[2] === "text" ? growthAt(entry, path[1])?.path : undefined;
    if (grown === undefined && path[0] !== "content" && path[0] !== "raw_output") return undefined;
    const call = String(entry["tool_call_id"]);
    const texts = this.#outputs.get(call) ?? new Map<string, TextStream<T>>();
    const name = JSON.stringify(grown ?? path);
    const stream = texts.get(name) ?? { kept: undefined };
    if (texts.size < textsPerCallMax) texts.set(name, stream);
    toEnd(this.#outputs, call, texts, callsMax);
    return stream;
  }
}

/** Whether a string is a part of a growth's path that is the vocabulary's or ACP's, not a name that the agent chose. */
export function isPathWord(entry: Members, { path }: JsonString): boolean {
  if (entry["kind"] !== "tool_call" || path[0] !== "grow" || path[2] !== "path") return false;
  return path[3] === 0 || growthAt(entry, path[1])?.path[0] !== "raw_output";
}

/** Messages that go on in turns with each other. */
const saidTextsMax = 64;
/** At least what a session may have open, and what is remembered of a call's texts while it is. */
const callsMax = 1_024;
const textsPerCallMax = 2_048;

function saidText(entry: Members, { path }: JsonString): string | undefined {
  if (path.length !== 2 || path[1] !== "text") return undefined;
  if (entry["kind"] === "message" && path[0] === "content") {
    return JSON.stringify(["message", entry["role"], entry["message_id"]]);
  }
  if (entry["kind"] === "compaction" && path[0] === "append") {
    return JSON.stringify(["compaction", entry["compaction_id"]]);
  }
  return undefined;
}

function growthAt(entry: Members, index: string | number | undefined): TextGrowth | undefined {
  return typeof index === "number" ? (entry["grow"] as readonly TextGrowth[])[index] : undefined;
}

function toEnd<V>(map: Map<string, V>, key: string, value: V, sizeMax: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= sizeMax) return;
    map.delete(oldest);
  }
}
