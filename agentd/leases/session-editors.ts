// SPDX-License-Identifier: MIT OR Apache-2.0
// Asks the programs that hold leases of one session for its agent's files and terminals: `client.fs.*` and
// `client.terminal.*` on the Bus.
import type * as z from "zod";
import { BusError, type BusErrorCode, replyFailure, type Reply } from "../../bus-client/index.ts";
import { tryParseJson } from "../../json/raw-json.ts";
import type { LeaseOffer } from "../vocabulary/index.ts";
import type { Lease, Leases } from "./leases.ts";

export type EditorAnswer<T> =
  | { readonly kind: "done"; readonly value: T }
  /** The editor said no. `message` is its own, shortened. */
  | { readonly kind: "refused"; readonly message: string }
  /** There is no answer to go by. `mayHaveRun`: the request may have reached the editor. */
  | { readonly kind: "away"; readonly why: string; readonly mayHaveRun: boolean };

export interface EditorRequest<T> {
  readonly verb: string;
  /** Without the session. */
  readonly args: object;
  readonly reply: z.ZodType<T>;
  /** Each of them stops the wait for the answer. */
  readonly signals?: readonly AbortSignal[];
  /** Takes an answer that comes after the wait for it was stopped. */
  readonly onLate?: (value: T) => void;
  /** By default the limit `leaseCallMs`. */
  readonly timeoutMs?: number;
}

/** The editors of one session. */
export interface Editors {
  /** The lease that such a request goes to. */
  find(offer: LeaseOffer): Lease | undefined;
  /** Never rejects. */
  ask<T>(lease: Lease, request: EditorRequest<T>): Promise<EditorAnswer<T>>;
}

export interface SessionEditorsOptions {
  readonly leases: Pick<Leases, "find">;
  readonly bus: {
    call(to: string, command: string, args: object, options: { readonly timeoutMs: number }): Promise<Reply>;
  };
  readonly session: string;
  readonly callMs: number;
}

export class SessionEditors implements Editors {
  readonly #options: SessionEditorsOptions;

  constructor(options: SessionEditorsOptions) {
    this.#options = options;
  }

  find(offer: LeaseOffer): Lease | undefined {
    return this.#options.leases.find(this.#options.session, offer);
  }

  async ask<T>({ citizen, ended }: Lease, request: EditorRequest<T>): Promise<EditorAnswer<T>> {
    const { bus, session, callMs } = this.#options;
    const { verb, args, reply: schema, onLate, timeoutMs = callMs } = request;
    const signals = [ended, ...(request.signals ?? [])];
    if (signals.some(({ aborted }) => aborted)) return { kind: "away", why: `${citizen} is gone`, mayHaveRun: false };
    const called = bus.call(citizen, verb, { session, ...args }, { timeoutMs });
    let onStop = (): void => {};
    const stopped = new Promise<undefined>((resolve) => (onStop = () => resolve(undefined)));
    for (const signal of signals) signal.addEventListener("abort", onStop);
    try {
      const reply = await Promise.race([called, stopped]);
      if (reply !== undefined) return toAnswer(reply, citizen, schema);
      called.then(
        (late) => takeLate(toAnswer(late, citizen, schema), onLate),
        () => {},
      );
      return { kind: "away", why: `${citizen} is gone or did not answer in time`, mayHaveRun: true };
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      const why = error.code === "TIMEOUT" ? `${citizen} did not answer within ${timeoutMs} ms` : error.message;
      return { kind: "away", why, mayHaveRun: !unsent.has(error.code) };
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", onStop);
    }
  }
}

function takeLate<T>(answer: EditorAnswer<T>, onLate: EditorRequest<T>["onLate"]): void {
  if (answer.kind === "done") onLate?.(answer.value);
}

/** With these nothing was sent. */
const unsent: ReadonlySet<BusErrorCode> = new Set(["NOT_CONNECTED", "OVERLOADED", "FRAME_TOO_LARGE", "UNSERIALISABLE"]);

/** By these a program says that it did not ask its editor: agentd does it itself. */
const notServed: ReadonlySet<string | undefined> = new Set([
  "UNKNOWN_COMMAND",
  "UNSUPPORTED",
  "SESSION_UNKNOWN",
  "BUSY",
  "UNAVAILABLE",
]);

const messageCharactersMax = 1_000;

function toAnswer<T>(reply: Reply, citizen: string, schema: z.ZodType<T>): EditorAnswer<T> {
  const failure = replyFailure(reply);
  // The broker itself answers, with another sender or none, for a program that is gone.
  if (reply.headers["from"] !== citizen) {
    const why = failure?.message ?? `the answer is not from ${citizen}`;
    return { kind: "away", why, mayHaveRun: !why.endsWith(" not found") };
  }
  if (failure) {
    // A citizen that closes answers BUSY, also to what it has begun.
    const mayHaveRun = failure.code === "BUSY";
    if (notServed.has(failure.code)) return { kind: "away", why: failure.message, mayHaveRun };
    return { kind: "refused", message: failure.message.slice(0, messageCharactersMax) };
  }
  const parsed = schema.safeParse(tryParseJson(reply.body));
  if (parsed.success) return { kind: "done", value: parsed.data };
  return { kind: "away", why: `${citizen} gave an answer that is not one`, mayHaveRun: true };
}
