// SPDX-License-Identifier: MIT OR Apache-2.0
// Content of ACP, as agents wrote it, made valid: what the schema does not know is dropped.
import { decodeContentBlock } from "../../acp-client/schema/v1/content.ts";
import { Content, Diff, Terminal } from "../../acp-client/schema/v1/tool-call.ts";
import { decode } from "../../acp-client/schema/lenient.ts";
import { omitUndefined } from "../../json/omit-undefined.ts";
import { isRecord } from "../../json/record.ts";
import { textPieces } from "./text-pieces.ts";
import { type Block, type Meta, type ToolContent, blockTypes, isOneOf } from "./update.ts";

/** Undefined for an invalid block, and for one of a type that ACP v1 does not have. */
export function validBlock(value: unknown): Block | undefined {
  const block = decodeContentBlock(value);
  if (block === undefined || !isOneOf(blockTypes, block.type)) return undefined;
  const { type, _meta, ...members } = block;
  return { type, ...members, ...metaMember({ _meta }) };
}

/** The block, and for a long text several with the same other members. */
export function blockPieces(block: Block): readonly Block[] {
  const { text } = block;
  if (block.type !== "text" || typeof text !== "string") return [block];
  const pieces = textPieces(text);
  return pieces.length === 1 ? [block] : pieces.map((piece) => ({ ...block, text: piece }));
}

/** Undefined for an invalid item, and for one of a type that ACP v1 does not have. */
export function validToolContent(item: unknown): ToolContent | undefined {
  switch (isRecord(item) ? item["type"] : undefined) {
    case "content": {
      const outer = decode(Content, item);
      const content = outer && validBlock(outer.content);
      return content && omitUndefined({ ...outer, content });
    }
    case "diff": {
      const diff = decode(Diff, item);
      return diff && omitUndefined(diff);
    }
    case "terminal": {
      const terminal = decode(Terminal, item);
      return terminal && omitUndefined(terminal);
    }
    default:
      return undefined;
  }
}

/** The member `_meta`, if the value has one that is an object. */
export function metaMember(value: object): { readonly _meta?: Meta } {
  const meta = "_meta" in value ? value._meta : undefined;
  return isRecord(meta) ? { _meta: meta } : {};
}
