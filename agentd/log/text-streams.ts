// SPDX-License-Identifier: MIT OR Apache-2.0
// Texts that are spread over several entries of a session: messages, summaries and the output of tool calls. Read from
// the first entry on, this tells which string of an entry continues which text.
import { finalToolStatuses, type TextGrowth } from "../vocabulary/index.ts";
import type { JsonString } from "./json-strings.ts";

/** One text, with the state that its reader keeps about it. */
export interface TextStream<T> {
  state: T | undefined;
}

type Members = Readonly<Record<string, unknown>>;

export class TextStreams<T> {
  readonly #said = new Map<string, TextStream<T>>();
  /** Keyed by tool call, then by the text's path in it. */
  readonly #outputs = new Map<string, Map<string, TextStream<T>>>();

  /** Returns the text that the string continues or begins; undefined for a string that is no part of such a text. */
  of(entry: Members, string: JsonString): TextStream<T> | undefined {
    if (string.isName) return undefined;
    if (entry["kind"] === "tool_call") return this.#outputOf(entry, string);
    const text = saidText(entry, string);
    if (text === undefined) return undefined;
    const stream = this.#said.get(text) ?? { state: undefined };
    setNewest(this.#said, text, stream, saidTextsMax);
    return stream;
  }

  /** Call before an entry's strings. A tool call that resends its content begins its texts anew. */
  enter(entry: Members): void {
    if (entry["kind"] !== "tool_call") return;
    const texts = this.#outputs.get(String(entry["tool_call_id"]));
    for (const [path] of texts ?? []) {
      const [member] = JSON.parse(path) as [string];
      if (member in entry) texts?.delete(path);
    }
  }

  /** Call after an entry's strings. The texts of an ended tool call do not continue. */
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
    const stream = texts.get(name) ?? { state: undefined };
    if (texts.size < textsPerCallMax) texts.set(name, stream);
    setNewest(this.#outputs, call, texts, callsMax);
    return stream;
  }
}

/** True for a part of a growth's path that the vocabulary or ACP defines, not the agent. */
export function isPathWord(entry: Members, { path }: JsonString): boolean {
  if (entry["kind"] !== "tool_call" || path[0] !== "grow" || path[2] !== "path") return false;
  return path[3] === 0 || growthAt(entry, path[1])?.path[0] !== "raw_output";
}

/** How many messages may be interleaved. */
const saidTextsMax = 64;
/** At least the numbers of open calls, and of texts per call, that a session tracks. */
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

/** Makes the key the newest of the map, and drops the oldest keys beyond `sizeMax`. */
function setNewest<V>(map: Map<string, V>, key: string, value: V, sizeMax: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= sizeMax) return;
    map.delete(oldest);
  }
}
