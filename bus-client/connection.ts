// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";
import type { Clock } from "./clock.ts";
import type { Publication } from "./publication.ts";
import { replyOf, type Reply } from "./reply.ts";
import type { Transport } from "./transport.ts";
import { exceedsBytes, frameBytesMax, parse, serialise, serialiseParsed } from "./wire.ts";
import type { FrameHeaders, ParsedFrame } from "./wire.ts";

/** The default timeout of a request. */
export const callTimeoutMs = 60_000;

/** Unanswered requests allowed on one connection. Further ones fail with OVERLOADED and are not sent. */
export const unansweredMax = 4_096;

/** Unsent bytes allowed on one connection. Further messages fail with OVERLOADED and are not sent. */
const bufferedBytesMax = 64 * 1024 * 1024;

export interface ConnectionListener {
  /** Receives a frame with a `command` that is neither an answer nor a topic delivery. */
  command(frame: ParsedFrame): void;
  /** Receives a frame with a `topic`, which must not be answered. */
  delivery(frame: ParsedFrame): void;
  /** Called once, after every unanswered request has failed. */
  closed(cause: BusError): void;
}

export type ReplyListener = (error: BusError | undefined, reply: Reply | undefined) => void;

/** One connection to a broker. Matches answers to requests, and passes on commands and deliveries. */
export class Connection {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #listener: ConnectionListener;
  readonly #calls = new Map<string, { readonly done: ReplyListener; readonly cancelTimer: () => void }>();
  /** Ordered by deadline, since all have the same timeout. One timer watches the oldest. */
  readonly #publications = new Map<string, { readonly done: ReplyListener; readonly deadline: number }>();
  #cancelPublicationTimer: (() => void) | undefined;
  #lastId = 0;
  #ended: BusError | undefined;

  constructor(transport: Transport, clock: Clock, listener: ConnectionListener) {
    this.#transport = transport;
    this.#clock = clock;
    this.#listener = listener;
    transport.listen({
      message: (text) => this.#receive(text),
      close: (cause) => this.#end(cause),
    });
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  get bufferedBytes(): number {
    return this.#transport.bufferedBytes;
  }

  /** Sends a request and resolves with its answer, whatever its `rc`. Rejects with BusError if there is no answer. */
  request(headers: FrameHeaders, body: string, timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId();
      const text = serialise({ headers: { ...headers, id, type: "request" }, body });
      const refusal = this.#sendRequest(text);
      if (refusal !== undefined) return reject(refusal);
      const cancelTimer = this.#clock.after(timeoutMs, () => {
        this.#calls.delete(id);
        reject(new BusError("TIMEOUT", `no answer to ${headers["command"]} within ${timeoutMs} ms`));
      });
      const done: ReplyListener = (error, reply) => (error ? reject(error) : resolve(reply!));
      this.#calls.set(id, { done, cancelTimer });
    });
  }

  /**
   * The hot path: sends a prepared publication with its `id` inserted. Uses no promise and no timer of its own. `done` is
   * called once, in a later turn of the event loop, within `callTimeoutMs`.
   */
  publish({ before, after, body }: Publication, done: ReplyListener | undefined): void {
    const id = this.#nextId();
    const refusal = this.#sendRequest(before + id + after, body);
    if (refusal !== undefined) {
      if (done) queueMicrotask(() => done(refusal, undefined));
      return;
    }
    this.#publications.set(id, { done: done ?? ignore, deadline: this.#clock.now() + callTimeoutMs });
    this.#cancelPublicationTimer ??= this.#clock.after(callTimeoutMs, () => this.#expirePublications());
  }

  /**
   * Sends an answer. Returns false if the connection is closed or the answer cannot be sent. Headers copied from the
   * command are not checked, so that an odd one from a stranger cannot make this throw.
   */
  answer(headers: FrameHeaders, body: string): boolean {
    return this.#send(serialiseParsed(headers, body)) === undefined;
  }

  cork(): void {
    this.#transport.cork();
  }

  uncork(): void {
    this.#transport.uncork();
  }

  close(): void {
    this.#transport.close();
  }

  destroy(): void {
    this.#transport.destroy();
  }

  #nextId(): string {
    return String(++this.#lastId);
  }

  #sendRequest(text: string, body?: Buffer): BusError | undefined {
    if (this.#calls.size + this.#publications.size < unansweredMax) return this.#send(text, body);
    return new BusError("OVERLOADED", `${unansweredMax} requests are unanswered`);
  }

  #send(text: string, body?: Buffer): BusError | undefined {
    if (this.#ended !== undefined) return new BusError("NOT_CONNECTED");
    if (this.#transport.bufferedBytes > bufferedBytesMax) {
      return new BusError("OVERLOADED", `${bufferedBytesMax} bytes wait to be sent`);
    }
    if (exceedsBytes(text, frameBytesMax, body?.length)) {
      return new BusError("FRAME_TOO_LARGE", `a message of more than ${frameBytesMax} bytes`);
    }
    this.#transport.send(text, body);
    return undefined;
  }

  /**
   * Checks for a stamped topic delivery first: its `type`, `id` and `rc` come from the publisher and must not pass for an
   * answer. An answer that matches no request is dropped, and never taken for a command.
   */
  #receive(text: string): void {
    const frame = tryParse(text);
    if (frame === undefined || this.#ended !== undefined) return;
    const { headers } = frame;
    if (headers["topic"] !== undefined && headers["broker_registration"] !== undefined) {
      return this.#listener.delivery(frame);
    }
    if (headers["type"] === "response") return this.#settle(headers["id"], frame);
    if (headers["rc"] !== undefined && this.#isAwaited(headers["id"])) return this.#settle(headers["id"], frame);
    if (headers["topic"] !== undefined) return this.#listener.delivery(frame);
    if (headers["command"] !== undefined && !isBrokerNotice(headers)) this.#listener.command(frame);
  }

  #isAwaited(id: string | undefined): boolean {
    return id !== undefined && (this.#calls.has(id) || this.#publications.has(id));
  }

  #settle(id: string | undefined, frame: ParsedFrame): void {
    if (id === undefined) return;
    const publication = this.#publications.get(id);
    if (publication !== undefined) {
      this.#publications.delete(id);
      publication.done(undefined, replyOf(frame));
      return;
    }
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    call.cancelTimer();
    call.done(undefined, replyOf(frame));
  }

  #expirePublications(): void {
    const now = this.#clock.now();
    this.#cancelPublicationTimer = undefined;
    for (const [id, { done, deadline }] of this.#publications) {
      if (deadline > now) {
        this.#cancelPublicationTimer = this.#clock.after(deadline - now, () => this.#expirePublications());
        return;
      }
      this.#publications.delete(id);
      done(new BusError("TIMEOUT", `no answer to a publication within ${callTimeoutMs} ms`), undefined);
    }
  }

  #end(cause: Error | undefined): void {
    this.#ended = new BusError("CONNECTION_LOST", cause?.message, { cause });
    this.#cancelPublicationTimer?.();
    const calls = [...this.#calls.values()];
    const publications = [...this.#publications.values()];
    this.#calls.clear();
    this.#publications.clear();
    for (const { cancelTimer, done } of calls) {
      cancelTimer();
      done(this.#ended, undefined);
    }
    for (const { done } of publications) done(this.#ended, undefined);
    this.#listener.closed(this.#ended);
  }
}

function ignore(): void {}

/** Drops an unreadable frame: there is nobody to tell, and the next frame is independent of it. */
function tryParse(text: string): ParsedFrame | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** True for an unsolicited notice of the broker, which must not be answered. */
function isBrokerNotice(headers: FrameHeaders): boolean {
  const command = headers["command"];
  if (command === "noded.admit.challenge") return true;
  return (command === "topic.active" || command === "topic.idle") && headers["id"] === undefined;
}
