// SPDX-License-Identifier: MIT OR Apache-2.0
// The rows of a session's transcript. Several entries make one row where they are about one thing: the chunks of a
// message, the updates of a tool call, a question and its answer.
import type {
  CommandEntry,
  CompactionEntry,
  ContentBlock,
  Entry,
  FileEntry,
  MessageEntry,
  ReplyEntry,
  TerminalEntry,
  ToolCallFields,
  TruncatedEntry,
} from "../../agentd/vocabulary/entries.ts";
import type { AskedEntry } from "./open-questions.ts";

export type Row = RowHead & RowContent;

export interface RowHead {
  /** `seq` of its first entry in this view: a key that stays. */
  readonly seq: number;
  /** `seq` of its last entry. */
  readonly last: number;
  /** When its first entry was logged; undefined for a truncated entry. */
  readonly at: string | undefined;
  /** It began after its turn had ended. */
  readonly late: boolean;
  /** Approximate size, in UTF-16 code units. */
  readonly units: number;
}

export type RowContent =
  | {
      readonly kind: "message";
      readonly role: MessageEntry["role"];
      readonly message_id: string;
      /** The tool call that started the sub-agent whose message it is. */
      readonly parent_tool_call_id?: string;
      /** Adjacent texts are joined. */
      readonly blocks: readonly ContentBlock[];
    }
  | {
      readonly kind: "tool_call";
      readonly call: ToolCallFields;
      /** agentd ended the call with its turn, and the agent has said nothing of its status since. */
      readonly closed_by?: "agentd";
    }
  | {
      readonly kind: "question";
      readonly request: string;
      /** In its present form. Undefined if the view begins after it. */
      readonly asked: AskedEntry | undefined;
      readonly resolved?: AskedEntry;
      /** Whether the answer reached the agent, once that is known. */
      readonly sent?: "sent" | "unsent" | "unknown";
    }
  | { readonly kind: "terminal"; readonly terminal: TerminalEntry }
  | { readonly kind: "file"; readonly file: FileEntry }
  | { readonly kind: "compaction"; readonly compaction: CompactionEntry }
  | { readonly kind: "command"; readonly command: CommandEntry; readonly reply?: ReplyEntry }
  /** An entry that stands alone: a state, a notice, a diagnostic, and whatever this client does not know. */
  | { readonly kind: "entry"; readonly entry: Entry | TruncatedEntry };

export type RowOf<K extends Row["kind"]> = Extract<Row, { readonly kind: K }>;

/** Appends a block. A text that follows a text is joined to it, unless either has more members. */
export function joinBlock(blocks: readonly ContentBlock[], block: ContentBlock): readonly ContentBlock[] {
  const last = blocks.at(-1);
  if (last === undefined || !isPlainText(last) || !isPlainText(block)) return [...blocks, block];
  return blocks.with(blocks.length - 1, { type: "text", text: `${last.text}${block.text}` });
}

function isPlainText(block: ContentBlock): block is ContentBlock & { readonly text: string } {
  return block.type === "text" && typeof block["text"] === "string" && Object.keys(block).length === 2;
}

/** Merges an update of a compaction into what is known of it. */
export function foldCompaction(before: CompactionEntry | undefined, entry: CompactionEntry): CompactionEntry {
  const { append, ...said } = entry;
  const merged: CompactionEntry = { ...before, ...said };
  return append === undefined ? merged : { ...merged, summary: joinBlock(merged.summary ?? [], append) };
}
