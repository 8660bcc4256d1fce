// SPDX-License-Identifier: MIT OR Apache-2.0
// fs/read_text_file and fs/write_text_file, by agentd or by the editor that holds a lease of the session. A file is read
// when its response may start, and the text is sent once the log has the read; a text to be written is kept in memory
// until the log has the intention.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import type { Redact } from "../catalogue/secret-values.ts";
import type { Limits } from "../config/limits.ts";
import type { WithUserUmask } from "../instance/user-umask.ts";
import type { Lease } from "../leases/leases.ts";
import type { Editors } from "../leases/session-editors.ts";
import type { ClientRequestHooks } from "../session/agents/client-requests.ts";
import type { FileEffect, FileInput, FileRefusal } from "../session/core/client-side/client-side-input.ts";
import { toCancelledWrite } from "../session/core/client-side/files.ts";
import type { ResponseQueue } from "./response-queue.ts";
import type { ClientSideCall } from "./calls.ts";
import type { Boundary } from "./files/boundary.ts";
import { sessionEnding } from "../session/core/client-side/answers.ts";
import { EditorFiles } from "./editor-files.ts";
import { checkReadable, readFromText, type ReadResult, readTextFile } from "./files/read-text-file.ts";
import { redactedMessage, quotePath } from "./files/refusal.ts";
import { checkWritable, writeTextFile } from "./files/write-text-file.ts";
import { fitsAsJson, maxJsonBytes } from "./json-bytes.ts";
import type { PendingRequests } from "./pending-requests.ts";

export interface FileRequestsOptions extends Boundary {
  readonly redact: Redact;
  readonly limits: Limits;
  readonly editors: Editors;
  readonly withUserUmask: WithUserUmask;
}

type ReadCall = Extract<ClientSideCall, { method: "fs/read_text_file" }>;
type WriteCall = Extract<ClientSideCall, { method: "fs/write_text_file" }>;

type WriteEffect = Extract<FileEffect, { type: "write_file" }>;
type WriteOutcome = Extract<FileInput, { type: "file_written" }>["outcome"];

interface BufferedText {
  /** The path as the agent wrote it. */
  readonly path: string;
  readonly text: string;
  /** Gives back the text's share of the limits. Call it once. */
  readonly release: () => void;
  /** The editor that is to write it; absent: agentd. */
  readonly lease?: Lease | undefined;
}

/** What a read through an editor counts for until its text is there: so that four of them can be under way at once. */
const editorReadBytes = 2 * 1024 * 1024;

export class FileRequests {
  readonly #options: FileRequestsOptions;
  readonly #hooks: ClientRequestHooks;
  readonly #pending: PendingRequests;
  readonly #queue: ResponseQueue;
  readonly #editor: EditorFiles;
  readonly #texts = new Map<number, BufferedText>();
  /** UTF-8 bytes of the texts waiting to be written. */
  #writeBytes = 0;

  constructor(options: FileRequestsOptions, hooks: ClientRequestHooks, pending: PendingRequests, queue: ResponseQueue) {
    this.#options = options;
    this.#hooks = hooks;
    this.#pending = pending;
    this.#queue = queue;
    const { editors, redact } = options;
    this.#editor = new EditorFiles({
      editors,
      redact,
      onAway: (message) => hooks.fault("editor-away", redact(message)),
    });
  }

  /** Reads that wait for an editor. */
  get waitingCount(): number {
    return this.#editor.openCount;
  }

  async end(): Promise<void> {
    await this.#editor.end();
  }

  read(request: ClientSideRequest, call: ReadCall): void {
    this.#queue.enqueue(request, () => this.#readByLease(request, call));
  }

  #readByLease(request: ClientSideRequest, call: ReadCall): void {
    const lease = this.#editor.reader();
    if (lease === undefined) return this.#read(request, call);
    const { directories, reserved, limits } = this.#options;
    const file = checkReadable(call.path, { directories, reserved, bytesMax: limits.fileBytesMax });
    if (file === "refused") return this.#read(request, call);
    this.#editor.track(this.#readFromEditor(lease, request, call, file === "there"));
  }

  async #readFromEditor(lease: Lease, request: ClientSideRequest, call: ReadCall, isOnDisk: boolean): Promise<void> {
    const { path, line, limit } = call;
    const release = this.#queue.reserve(editorReadBytes);
    const answer = await this.#editor.read(lease, path, isOnDisk);
    if (answer.kind === "ending") request.refuse({ code: RPC.internalError, message: sessionEnding });
    else if (answer.kind === "own") this.#queue.enqueue(request, () => this.#read(request, call));
    else {
      const text = readFromText(path, answer.text, { bytesMax: this.#options.limits.fileBytesMax, line, limit });
      this.#deliver(request, path, text, lease.citizen);
    }
    release();
  }

  #read(request: ClientSideRequest, { path, line, limit }: ReadCall): void {
    const { directories, reserved, limits } = this.#options;
    const bytesMax = limits.fileBytesMax;
    this.#deliver(request, path, readTextFile(path, { directories, reserved, bytesMax, line, limit }));
  }

  /** Has the read logged, and keeps the text until then. */
  #deliver(request: ClientSideRequest, path: string, answer: ReadResult, citizen?: string): void {
    const { redact, limits } = this.#options;
    const { answerBytesMax } = limits;
    const key = this.#pending.add(request);
    const head = { type: "file_read", key, path: redact(path) } as const;
    if (answer.ok) {
      const { text, bytes } = answer;
      if (!fitsAsJson(text, bytes, answerBytesMax)) {
        return this.#hooks.ask({ ...head, outcome: this.#redactedRefusal(path, tooLongAsJson(path, answerBytesMax)) });
      }
      this.#texts.set(key, { path, text, release: this.#queue.reserve(Math.min(maxJsonBytes(bytes), answerBytesMax)) });
      this.#hooks.ask({ ...head, outcome: { ok: true, bytes, ...(citizen === undefined ? {} : { citizen }) } });
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
    if (this.#queue.length > 0) this.#queue.enqueue(request, () => this.#announceWrite(request, call, bytes));
    else this.#announceWrite(request, call, bytes);
  }

  #announceWrite(request: ClientSideRequest, { path, content }: WriteCall, bytes: number): void {
    const key = this.#pending.add(request);
    const lease = this.#editor.writer(path, content);
    this.#texts.set(key, { path, text: content, release: () => (this.#writeBytes -= bytes), lease });
    const citizen = lease === undefined ? {} : { citizen: lease.citizen };
    this.#hooks.ask({ type: "file_write", key, path: this.#options.redact(path), bytes, ...citizen });
  }

  act(effect: FileEffect): void {
    const buffered = effect.key === null ? undefined : this.#take(effect.key);
    switch (effect.type) {
      case "hand_over":
        // The text is in memory until the agent has read it.
        if (buffered) this.#pending.take(effect.key)?.reply({ content: buffered.text }, buffered.release);
        return;
      case "write_file":
        if (!buffered) return this.#hooks.tell(toCancelledWrite(effect.seq));
        if (buffered.lease === undefined) this.#write(buffered, effect);
        else this.#writeByLease(buffered, buffered.lease, effect);
    }
  }

  #writeByLease(buffered: BufferedText, lease: Lease, effect: WriteEffect): void {
    const { directories, reserved, limits } = this.#options;
    const { path, text } = buffered;
    const checked = checkWritable(path, text, { directories, reserved, bytesMax: limits.fileBytesMax });
    if (checked.ok) return this.#editor.track(this.#writeToEditor(buffered, lease, effect));
    buffered.release();
    this.#tellWritten(effect, path, checked);
  }

  async #writeToEditor(buffered: BufferedText, lease: Lease, effect: WriteEffect): Promise<void> {
    const { path, text } = buffered;
    const written = await this.#editor.write(lease, path, text);
    if (written.kind === "own") return this.#options.withUserUmask(() => this.#write(buffered, effect));
    buffered.release();
    if (written.kind === "written") return this.#tellWritten(effect, path, { ok: true, citizen: lease.citizen });
    this.#tellWritten(effect, path, { ok: false, refusal: written.refusal });
  }

  #write(buffered: BufferedText, effect: WriteEffect): void {
    const { directories, reserved, limits } = this.#options;
    const { path, text } = buffered;
    const { temporaryName } = effect;
    buffered.release();
    const bytesMax = limits.fileBytesMax;
    this.#tellWritten(effect, path, writeTextFile(path, text, { directories, reserved, temporaryName, bytesMax }));
  }

  #tellWritten({ seq }: WriteEffect, path: string, outcome: WriteOutcome): void {
    const told = outcome.ok ? outcome : this.#redactedRefusal(path, outcome.refusal);
    this.#hooks.tell({ type: "file_written", seq, outcome: told });
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
