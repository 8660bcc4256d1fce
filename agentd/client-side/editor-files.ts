// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads and writes of an agent that go to the editor which holds a lease of its session. The caller has checked the path.
import * as z from "zod";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import type { Redact } from "../catalogue/secret-values.ts";
import type { Lease } from "../leases/leases.ts";
import type { EditorAnswer, Editors } from "../leases/session-editors.ts";
import { sessionEnding } from "../session/core/client-side/answers.ts";
import type { FileRefusal } from "../session/core/client-side/client-side-input.ts";

export interface EditorFilesOptions {
  readonly editors: Editors;
  readonly redact: Redact;
  /** Says in the log why agentd does itself what an editor was asked to do. */
  readonly onAway: (message: string) => void;
}

/** `own`: agentd is to do it. */
export type EditorRead =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "own" }
  | { readonly kind: "ending" };
export type EditorWrite =
  | { readonly kind: "written" }
  | { readonly kind: "own" }
  | { readonly kind: "refused"; readonly refusal: FileRefusal };

const readReply = z.looseObject({ content: z.string() });
const writeReply = z.looseObject({});

export class EditorFiles {
  readonly #options: EditorFilesOptions;
  readonly #ending = new AbortController();
  readonly #open = new Set<Promise<unknown>>();

  constructor(options: EditorFilesOptions) {
    this.#options = options;
  }

  get openCount(): number {
    return this.#open.size;
  }

  reader(): Lease | undefined {
    return this.#options.editors.find("fs.read");
  }

  /** A text with a secret of the agent's environment must not travel over the Bus: agentd writes it. */
  writer(path: string, content: string): Lease | undefined {
    const { editors, redact } = this.#options;
    const lease = editors.find("fs.write");
    return lease === undefined || redact(path) !== path || redact(content) !== content ? undefined : lease;
  }

  /** `isOnDisk`: editors answer an empty text for a file that they do not have. */
  async read(lease: Lease, path: string, isOnDisk: boolean): Promise<EditorRead> {
    const answer = await this.#ask(lease, "client.fs.read", { path }, readReply);
    if (this.#ending.signal.aborted) return { kind: "ending" };
    if (answer.kind === "done" && (isOnDisk || answer.value.content !== "")) {
      return { kind: "read", text: answer.value.content };
    }
    if (answer.kind === "away") this.#options.onAway(`${answer.why}: agentd has read the file itself`);
    return { kind: "own" };
  }

  /** An editor's refusal is the agent's error: it may protect changes that a person has made. */
  async write(lease: Lease, path: string, content: string): Promise<EditorWrite> {
    const answer = await this.#ask(lease, "client.fs.write", { path, content }, writeReply);
    if (answer.kind === "done") return { kind: "written" };
    if (this.#ending.signal.aborted) {
      const message = `${sessionEnding}; ${lease.citizen} may have written the file`;
      return { kind: "refused", refusal: { reason: "ending", message, code: RPC.internalError } };
    }
    if (answer.kind === "refused") {
      const message = `${lease.citizen} did not write the file: ${answer.message}`;
      return { kind: "refused", refusal: { reason: "editor", message, code: RPC.internalError } };
    }
    this.#options.onAway(`${answer.why}: agentd has written the file itself`);
    return { kind: "own" };
  }

  /** Stops waiting for editors. Resolves when what waited has been answered. */
  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#open);
  }

  /** Counts as open until the caller has dealt with it. */
  track(work: Promise<void>): void {
    const open = work.finally(() => this.#open.delete(open));
    this.#open.add(open);
  }

  #ask<T>(lease: Lease, verb: string, args: object, reply: z.ZodType<T>): Promise<EditorAnswer<T>> {
    return this.#options.editors.ask(lease, { verb, args, reply, signals: [this.#ending.signal] });
  }
}
