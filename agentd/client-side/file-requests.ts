// SPDX-License-Identifier: MIT OR Apache-2.0
// fs/read_text_file and fs/write_text_file: a text is read when it is its turn and handed over when the log says so; a
// text that is to be written is held until the log has the intention.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import type { Redact } from "../catalogue/secret-values.ts";
import type { ClientRequestHooks } from "../session/agents/client-requests.ts";
import type { FileEffect, FileRefusal } from "../session/core/client-side/client-side-input.ts";
import { unwritten } from "../session/core/client-side/files.ts";
import type { ResponseQueue } from "./response-queue.ts";
import type { ClientSideCall } from "./calls.ts";
import type { Boundary } from "./files/boundary.ts";
import { readTextFile } from "./files/read-text-file.ts";
import { redactedMessage, quotePath } from "./files/refusal.ts";
import { writeTextFile } from "./files/write-text-file.ts";
import { fitsAsJson, maxJsonBytes } from "./json-bytes.ts";
import type { PendingRequests } from "./pending-requests.ts";

export interface FileRequestsOptions extends Boundary {
  /** This agent takes an error for a file that is not there to be a failure: it is told an empty text. */
  readonly missingFileIsEmpty: boolean;
  /** Takes out of a text what is secret in the agent's environment. */
  readonly redact: Redact;
  readonly limits: {
    readonly fileBytesMax: number;
    /** Of all texts to be written that are held at a time; one more may still begin below it. */
    readonly heldFileBytesMax: number;
    /** A longer text, as JSON, is not handed over. */
    readonly answerBytesMax: number;
  };
}

type ReadCall = Extract<ClientSideCall, { method: "fs/read_text_file" }>;
type WriteCall = Extract<ClientSideCall, { method: "fs/write_text_file" }>;

interface BufferedText {
  /** Of the file, as the agent named it. */
  readonly path: string;
  readonly text: string;
  /** It is not held any more. */
  readonly release: () => void;
}

export class FileRequests {
  readonly #options: FileRequestsOptions;
  readonly #hooks: ClientRequestHooks;
  readonly #pending: PendingRequests;
  readonly #queue: ResponseQueue;
  readonly #texts = new Map<number, BufferedText>();
  /** To be written. */
  #writeBytes = 0;

  constructor(options: FileRequestsOptions, hooks: ClientRequestHooks, pending: PendingRequests, queue: ResponseQueue) {
    this.#options = options;
    this.#hooks = hooks;
    this.#pending = pending;
    this.#queue = queue;
  }

  read(request: ClientSideRequest, call: ReadCall): void {
    this.#queue.enqueue(request, () => this.#read(request, call));
  }

  #read(request: ClientSideRequest, { path, line, limit }: ReadCall): void {
    const { directories, reserved, missingFileIsEmpty, redact, limits } = this.#options;
    const { fileBytesMax: bytesMax, answerBytesMax } = limits;
    const window = { ...(line === undefined ? {} : { line }), ...(limit === undefined ? {} : { limit }) };
    const answer = readTextFile(path, { directories, reserved, bytesMax, ...window });
    const key = this.#pending.add(request);
    const head = { type: "file_read", key, path: redact(path) } as const;
    if (answer.ok) {
      const { text, bytes } = answer;
      if (!fitsAsJson(text, bytes, answerBytesMax)) {
        return this.#hooks.ask({ ...head, outcome: this.#redactedRefusal(path, tooLongAsJson(path, answerBytesMax)) });
      }
      this.#texts.set(key, { path, text, release: this.#queue.reserve(Math.min(maxJsonBytes(bytes), answerBytesMax)) });
      this.#hooks.ask({ ...head, outcome: { ok: true, bytes } });
    } else if (missingFileIsEmpty && answer.refusal.reason === "missing") {
      this.#texts.set(key, { path, text: "", release: () => {} });
      this.#hooks.ask({ ...head, outcome: { ok: true, bytes: 0, reason: "missing" } });
    } else {
      this.#hooks.ask({ ...head, outcome: this.#redactedRefusal(path, answer.refusal) });
    }
  }

  write(request: ClientSideRequest, call: WriteCall): void {
    if (this.#refuseIfFull(request)) return;
    const bytes = Buffer.byteLength(call.content);
    this.#writeBytes += bytes;
    // Not past the reads that wait: one of them may be of this very file, as it was when it was asked for.
    if (this.#queue.length > 0) this.#queue.enqueue(request, () => this.#write(request, call, bytes));
    else this.#write(request, call, bytes);
  }

  #write(request: ClientSideRequest, { path, content }: WriteCall, bytes: number): void {
    const key = this.#pending.add(request);
    this.#texts.set(key, { path, text: content, release: () => (this.#writeBytes -= bytes) });
    this.#hooks.ask({ type: "file_write", key, path: this.#options.redact(path), bytes });
  }

  act(effect: FileEffect): void {
    const buffered = effect.key === null ? undefined : this.#take(effect.key);
    switch (effect.type) {
      case "hand_over":
        // It is in memory until the agent has read it.
        if (buffered) this.#pending.take(effect.key)?.reply({ content: buffered.text }, buffered.release);
        return;
      case "write_file": {
        const { seq, temporaryName } = effect;
        const { directories, reserved, limits } = this.#options;
        const bytesMax = limits.fileBytesMax;
        if (!buffered) return this.#hooks.tell(unwritten(seq));
        buffered.release();
        const { path, text } = buffered;
        const outcome = writeTextFile(path, text, { directories, reserved, temporaryName, bytesMax });
        this.#hooks.tell({
          type: "file_written",
          seq,
          outcome: outcome.ok ? outcome : this.#redactedRefusal(path, outcome.refusal),
        });
      }
    }
  }

  /** It was refused: what is held for it is let go. */
  discard(key: number | null): void {
    if (key !== null) this.#take(key)?.release();
  }

  #redactedRefusal(path: string, refusal: FileRefusal): { readonly ok: false; readonly refusal: FileRefusal } {
    const message = redactedMessage(refusal.message, path, this.#options.redact);
    return { ok: false, refusal: { ...refusal, message } };
  }

  #refuseIfFull(request: ClientSideRequest): boolean {
    if (this.#writeBytes < this.#options.limits.heldFileBytesMax) return false;
    request.refuse({ code: RPC.internalError, message: "too many texts are under way at once: try again" });
    return true;
  }

  #take(key: number): BufferedText | undefined {
    const buffered = this.#texts.get(key);
    this.#texts.delete(key);
    return buffered;
  }
}

/** A control character is one byte in a file and six on its way to the agent. */
function tooLongAsJson(path: string, bytesMax: number): FileRefusal {
  const message = `${quotePath(path)}: as JSON it has more than ${bytesMax} bytes, which cannot be handed over at once; ask for fewer lines, or use a command.`;
  return { reason: "too-big", message, code: RPC.internalError };
}
