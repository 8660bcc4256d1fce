// SPDX-License-Identifier: MIT OR Apache-2.0
// fs/read_text_file and fs/write_text_file. A file is read when its response may start, and the text is sent once the
// log has the read; a text to be written is kept in memory until the log has the intention.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import type { Redact } from "../catalogue/secret-values.ts";
import type { Limits } from "../config/limits.ts";
import type { ClientRequestHooks } from "../session/agents/client-requests.ts";
import type { FileEffect, FileRefusal } from "../session/core/client-side/client-side-input.ts";
import { toCancelledWrite } from "../session/core/client-side/files.ts";
import type { ResponseQueue } from "./response-queue.ts";
import type { ClientSideCall } from "./calls.ts";
import type { Boundary } from "./files/boundary.ts";
import { readTextFile } from "./files/read-text-file.ts";
import { redactedMessage, quotePath } from "./files/refusal.ts";
import { writeTextFile } from "./files/write-text-file.ts";
import { fitsAsJson, maxJsonBytes } from "./json-bytes.ts";
import type { PendingRequests } from "./pending-requests.ts";

export interface FileRequestsOptions extends Boundary {
  readonly redact: Redact;
  readonly limits: Limits;
}

type ReadCall = Extract<ClientSideCall, { method: "fs/read_text_file" }>;
type WriteCall = Extract<ClientSideCall, { method: "fs/write_text_file" }>;

interface BufferedText {
  /** The path as the agent wrote it. */
  readonly path: string;
  readonly text: string;
  /** Gives back the text's share of the limits. Call it once. */
  readonly release: () => void;
}

export class FileRequests {
  readonly #options: FileRequestsOptions;
  readonly #hooks: ClientRequestHooks;
  readonly #pending: PendingRequests;
  readonly #queue: ResponseQueue;
  readonly #texts = new Map<number, BufferedText>();
  /** UTF-8 bytes of the texts waiting to be written. */
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
    const { directories, reserved, redact, limits } = this.#options;
    const { fileBytesMax: bytesMax, answerBytesMax } = limits;
    const answer = readTextFile(path, { directories, reserved, bytesMax, line, limit });
    const key = this.#pending.add(request);
    const head = { type: "file_read", key, path: redact(path) } as const;
    if (answer.ok) {
      const { text, bytes } = answer;
      if (!fitsAsJson(text, bytes, answerBytesMax)) {
        return this.#hooks.ask({ ...head, outcome: this.#redactedRefusal(path, tooLongAsJson(path, answerBytesMax)) });
      }
      this.#texts.set(key, { path, text, release: this.#queue.reserve(Math.min(maxJsonBytes(bytes), answerBytesMax)) });
      this.#hooks.ask({ ...head, outcome: { ok: true, bytes } });
    } else if (answer.refusal.reason === "missing" && this.#hooks.quirks().missingFileIsEmpty === true) {
      this.#texts.set(key, { path, text: "", release: () => {} });
      this.#hooks.ask({ ...head, outcome: { ok: true, bytes: 0, reason: "missing" } });
    } else {
      this.#hooks.ask({ ...head, outcome: this.#redactedRefusal(path, answer.refusal) });
    }
  }

  write(request: ClientSideRequest, call: WriteCall): void {
    if (this.#writeBytes >= this.#options.limits.heldFileBytesMax) {
      return request.refuse({
        code: RPC.internalError,
        message: "too many texts are waiting to be written; try again",
      });
    }
    const bytes = Buffer.byteLength(call.content);
    this.#writeBytes += bytes;
    // Stays behind queued reads: one of them may be of the same file and must see it as it was.
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
        // The text is in memory until the agent has read it.
        if (buffered) this.#pending.take(effect.key)?.reply({ content: buffered.text }, buffered.release);
        return;
      case "write_file": {
        const { seq, temporaryName } = effect;
        const { directories, reserved, limits } = this.#options;
        const bytesMax = limits.fileBytesMax;
        if (!buffered) return this.#hooks.tell(toCancelledWrite(seq));
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

  /** Drops the text of a request that was refused. */
  discard(key: number | null): void {
    if (key !== null) this.#take(key)?.release();
  }

  #redactedRefusal(path: string, refusal: FileRefusal): { readonly ok: false; readonly refusal: FileRefusal } {
    const message = redactedMessage(refusal.message, path, this.#options.redact);
    return { ok: false, refusal: { ...refusal, message } };
  }

  #take(key: number): BufferedText | undefined {
    const buffered = this.#texts.get(key);
    this.#texts.delete(key);
    return buffered;
  }
}

/** JSON escapes a control character, one byte in the file, with up to six. */
function tooLongAsJson(path: string, bytesMax: number): FileRefusal {
  const message = `${quotePath(path)}: as JSON it has more than ${bytesMax} bytes, the most that one response can carry; read fewer lines, or use a command.`;
  return { reason: "too-big", message, code: RPC.internalError };
}
