// SPDX-License-Identifier: MIT OR Apache-2.0
// What one read of an agent's pipe brought, as inputs in order. Adjacent chunks of one message become one input: an
// agent that streams by the word should not cost a log entry a word.
import type { AgentEvent } from "../../../acp-client/agent-events.ts";
import type { SessionInput } from "../core/input.ts";
import type { MessageUpdate } from "../core/messages.ts";
import type { PolicyEvidence } from "../core/requests/policy.ts";

export class Burst {
  readonly #mergeBytesMax: number;
  #inputs: SessionInput[] = [];
  /** The run of chunks that the next chunk may join; it is the last input where it is set. */
  #run: { readonly first: MessageUpdate; readonly pieces: string[]; length: number } | undefined;

  /** `mergeBytesMax`: UTF-8 bytes of text in one joined message. */
  constructor(mergeBytesMax: number) {
    this.#mergeBytesMax = mergeBytesMax;
  }

  add(input: SessionInput): void {
    this.#close();
    this.#inputs.push(input);
  }

  event(event: AgentEvent, evidence?: PolicyEvidence): void {
    if (event.type !== "update" || event.update.kind !== "message" || !isPlainChunk(event.update)) {
      this.add({ type: "agent", event, ...(evidence === undefined ? {} : { evidence }) });
      return;
    }
    const { update } = event;
    const text = update.content["text"] as string;
    const bytes = Buffer.byteLength(text);
    const run = this.#run;
    if (
      run &&
      run.first.role === update.role &&
      run.first.messageId === update.messageId &&
      run.length + bytes <= this.#mergeBytesMax
    ) {
      run.pieces.push(text);
      run.length += bytes;
      return;
    }
    this.#close();
    this.#run = { first: update, pieces: [text], length: bytes };
  }

  /** The inputs so far; the burst is empty afterwards. */
  take(): SessionInput[] {
    this.#close();
    const inputs = this.#inputs;
    this.#inputs = [];
    return inputs;
  }

  #close(): void {
    const run = this.#run;
    if (!run) return;
    this.#run = undefined;
    const { first, pieces } = run;
    const update: MessageUpdate =
      pieces.length === 1
        ? first
        : { ...first, content: { type: "text", text: pieces.join("") }, chunks: pieces.length };
    this.#inputs.push({ type: "agent", event: { type: "update", update } });
  }
}

/** Text that is appended, with nothing else said of it. */
function isPlainChunk(update: MessageUpdate): boolean {
  if (!update.append || update.meta !== undefined || update.content.type !== "text") return false;
  if (typeof update.content["text"] !== "string") return false;
  for (const member in update.content) if (member !== "type" && member !== "text") return false;
  return true;
}
