// SPDX-License-Identifier: MIT OR Apache-2.0
// The inputs from one read of an agent's pipe, in order. Adjacent chunks of one message are joined, so that an agent
// that streams word by word does not cost an entry per word.
import type { SessionEvent, SessionInput } from "../core/input.ts";
import type { MessageUpdate } from "../core/messages.ts";
import type { PolicyEvidence } from "../core/requests/policy.ts";

export class UpdateBatch {
  readonly #mergeBytesMax: number;
  #inputs: SessionInput[] = [];
  /** The chunks that the next chunk may join. They are the last input. */
  #openChunks: { readonly first: MessageUpdate; readonly pieces: string[]; length: number } | undefined;

  /** `mergeBytesMax`: limit of a joined message in UTF-8 bytes of text. */
  constructor(mergeBytesMax: number) {
    this.#mergeBytesMax = mergeBytesMax;
  }

  add(input: SessionInput): void {
    this.#close();
    this.#inputs.push(input);
  }

  event(event: SessionEvent, evidence?: PolicyEvidence): void {
    if (event.type !== "update" || event.update.kind !== "message" || !isPlainChunk(event.update)) {
      this.add({ type: "agent", event, ...(evidence === undefined ? {} : { evidence }) });
      return;
    }
    const { update } = event;
    const text = update.content["text"] as string;
    const bytes = Buffer.byteLength(text);
    const open = this.#openChunks;
    if (
      open &&
      open.first.role === update.role &&
      open.first.messageId === update.messageId &&
      open.length + bytes <= this.#mergeBytesMax
    ) {
      open.pieces.push(text);
      open.length += bytes;
      return;
    }
    this.#close();
    this.#openChunks = { first: update, pieces: [text], length: bytes };
  }

  take(): SessionInput[] {
    this.#close();
    const inputs = this.#inputs;
    this.#inputs = [];
    return inputs;
  }

  #close(): void {
    const open = this.#openChunks;
    if (!open) return;
    this.#openChunks = undefined;
    const { first, pieces } = open;
    const update: MessageUpdate =
      pieces.length === 1
        ? first
        : { ...first, content: { type: "text", text: pieces.join("") }, chunks: pieces.length };
    this.#inputs.push({ type: "agent", event: { type: "update", update } });
  }
}

/** Text to append, with no other members. */
function isPlainChunk(update: MessageUpdate): boolean {
  if (!update.append || update.meta !== undefined || update.content.type !== "text") return false;
  if (typeof update.content["text"] !== "string") return false;
  for (const member in update.content) if (member !== "type" && member !== "text") return false;
  return true;
}
