// SPDX-License-Identifier: MIT OR Apache-2.0
// fs/read_text_file and fs/write_text_file: a text is read at once and handed over when the log says so; a text that is
// to be written is held until the log has the intention.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import type { DeskHooks } from "../session/desk.ts";
import { type FileEffect, unwritten } from "../session/files.ts";
import type { ClientSideCall } from "./calls.ts";
import { readTextFile } from "./files/read-text-file.ts";
import { writeTextFile } from "./files/write-text-file.ts";
import type { OpenRequests } from "./open-requests.ts";

export interface FileRequestsOptions {
  /** The session's, absolute and without links. */
  readonly directories: readonly string[];
  /** This agent takes an error for a file that is not there to be a failure: it is told an empty text. */
  readonly missingFileIsEmpty: boolean;
  readonly limits: {
    readonly fileBytesMax: number;
    /** Of all texts that are held at a time; one more file may still begin below it. */
    readonly heldFileBytesMax: number;
  };
}

type ReadCall = Extract<ClientSideCall, { method: "fs/read_text_file" }>;
type WriteCall = Extract<ClientSideCall, { method: "fs/write_text_file" }>;

interface HeldText {
  readonly text: string;
  readonly bytes: number;
}

export class FileRequests {
  readonly #options: FileRequestsOptions;
  readonly #hooks: DeskHooks;
  readonly #open: OpenRequests;
  readonly #held = new Map<number, HeldText>();
  #heldBytes = 0;

  constructor(options: FileRequestsOptions, hooks: DeskHooks, open: OpenRequests) {
    this.#options = options;
    this.#hooks = hooks;
    this.#open = open;
  }

  read(request: ClientSideRequest, { path, line, limit }: ReadCall): void {
    if (this.#isFull(request)) return;
    const { directories, missingFileIsEmpty, limits } = this.#options;
    const bytesMax = limits.fileBytesMax;
    const window = { ...(line === undefined ? {} : { line }), ...(limit === undefined ? {} : { limit }) };
    const answer = readTextFile(path, { directories, bytesMax, ...window });
    const key = this.#open.add(request);
    if (answer.ok) {
      this.#hold(key, answer);
      this.#hooks.ask({ type: "file_read", key, path, outcome: { ok: true, bytes: answer.bytes } });
    } else if (missingFileIsEmpty && answer.refusal.reason === "missing") {
      this.#hold(key, { text: "", bytes: 0 });
      this.#hooks.ask({ type: "file_read", key, path, outcome: { ok: true, bytes: 0, reason: "missing" } });
    } else {
      this.#hooks.ask({ type: "file_read", key, path, outcome: answer });
    }
  }

  write(request: ClientSideRequest, { path, content }: WriteCall): void {
    if (this.#isFull(request)) return;
    const bytes = Buffer.byteLength(content);
    const key = this.#open.add(request);
    this.#hold(key, { text: content, bytes });
    this.#hooks.ask({ type: "file_write", key, path, bytes });
  }

  act(effect: FileEffect): void {
    const held = effect.key === null ? undefined : this.#release(effect.key);
    switch (effect.type) {
      case "hand_over":
        if (held) this.#open.take(effect.key)?.reply({ content: held.text });
        return;
      case "write_file": {
        const { seq, path, temporaryName } = effect;
        const { directories, limits } = this.#options;
        const bytesMax = limits.fileBytesMax;
        if (!held) return this.#hooks.tell(unwritten(seq));
        const outcome = writeTextFile(path, held.text, { directories, temporaryName, bytesMax });
        this.#hooks.tell({ type: "file_written", seq, outcome });
      }
    }
  }

  /** It was refused: what is held for it is let go. */
  drop(key: number | null): void {
    if (key !== null) this.#release(key);
  }

  #isFull(request: ClientSideRequest): boolean {
    if (this.#heldBytes < this.#options.limits.heldFileBytesMax) return false;
    request.refuse({ code: RPC.internalError, message: "too many texts are under way at once: try again" });
    return true;
  }

  #hold(key: number, { text, bytes }: HeldText): void {
    this.#held.set(key, { text, bytes });
    this.#heldBytes += bytes;
  }

  #release(key: number): HeldText | undefined {
    const held = this.#held.get(key);
    this.#held.delete(key);
    this.#heldBytes -= held?.bytes ?? 0;
    return held;
  }
}
