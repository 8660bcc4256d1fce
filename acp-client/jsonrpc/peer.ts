// SPDX-License-Identifier: MIT OR Apache-2.0
// One side of a JSON-RPC 2.0 connection over lines. Everything is delivered synchronously and in wire order, responses
// too: with a promise, the lines after a response would be handled before it. Each side has its own space of ids.
import { IncomingRequest } from "./incoming-request.ts";
import { NoiseCounter } from "./noise-count.ts";
import { RPC, classify, errorLine, isRequestId, toRpcError, idKey, notificationLine, requestLine } from "./message.ts";
import type { Incoming, RequestId, RpcError } from "./message.ts";
import { type PeerLimits, peerLimits } from "./peer-limits.ts";
import { rawMember } from "./raw-member.ts";
import { isDeeperThan } from "../../json/depth.ts";
import { numberOf, parseJson } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";
import { findRepeatedName } from "../../json/repeated-name.ts";
import { recogniseMessages } from "./recognise.ts";
import { hasMoreValuesThan, outlineMessage } from "./width.ts";
import { redactSample, type Redact } from "../redaction.ts";

export type RequestOutcome =
  | { readonly type: "result"; readonly result: unknown }
  | { readonly type: "error"; readonly error: RpcError }
  /** An invalid response; `what` describes it, as in "answered with <what>". */
  | { readonly type: "malformed"; readonly what: string }
  /** The connection was closed before the response came. */
  | { readonly type: "closed" };

/** Mistakes of the other side after which the connection goes on. */
export type PeerFault =
  | "noise"
  | "not-json"
  | "batch"
  | "too-deep"
  | "too-wide"
  | "invalid-request"
  | "unversioned"
  | "unusual-id"
  | "duplicate-id"
  | "repeated-member"
  | "too-many-requests"
  | "unknown-response"
  | "id-spelling"
  | "result-and-error"
  | "malformed-response"
  | "malformed-error";

export interface PeerHandler {
  /** Must answer the request, now or later; an unknown method with -32601. */
  onRequest(request: IncomingRequest): void;
  /** `line` is the message's text, so that parts of it can be kept as they were written. */
  onNotification(method: string, params: unknown, line: string): void;
  /** The other side cancels a request, which must still be answered. */
  onCancelRequest(request: IncomingRequest): void;
  /** Called for each occurrence, except "unversioned" and "id-spelling", which are reported once. */
  onFault(fault: PeerFault, message: string, sample: string): void;
  /** Called at most once, if the other side sends nothing but noise. The owner should close the peer. */
  onBroken(message: string): void;
}

export interface PeerOptions {
  /** Writes one message, given without its newline. Must call `written` once it is written. */
  readonly write: (line: string, written?: () => void) => void;
  readonly handler: PeerHandler;
  readonly limits?: Partial<PeerLimits>;
  /** Removes secrets from samples. */
  readonly redact?: Redact;
  /**
   * Whether the other side is a client, and this one its server. A server answers what is not a message with an error,
   * where a client ignores it as noise. It refuses requests without "jsonrpc", takes a request with a blank id as a
   * notification, as some clients mean it, and counts its own ids down from -1, where no client's are.
   */
  readonly isServer?: boolean;
}

type Message = Exclude<Incoming, { type: "noise" | "batch" }>;

/** Abandoned requests that are remembered. A late response to a forgotten one is reported as a fault. */
const abandonedMax = 1024;

export class Peer {
  readonly #write: PeerOptions["write"];
  readonly #handler: PeerHandler;
  readonly #limits: PeerLimits;
  readonly #redact: Redact;
  readonly #isServer: boolean;
  readonly #noise: NoiseCounter;
  readonly #pending = new Map<number, (answer: RequestOutcome) => void>();
  readonly #abandoned = new Set<number>();
  /** The next request id at the time of the last notification. */
  #idAtNotification = 0;
  readonly #open = new Map<string, IncomingRequest>();
  #openCharacters = 0;
  readonly #reportedOnce = new Set<PeerFault>();
  #nextId = 0;
  #nextKey = 1;
  #closed = false;

  constructor(options: PeerOptions) {
    this.#write = options.write;
    this.#handler = options.handler;
    this.#limits = { ...peerLimits, ...options.limits };
    this.#redact = options.redact ?? ((text) => text);
    this.#isServer = options.isServer ?? false;
    this.#noise = new NoiseCounter(this.#limits);
  }

  /** Sends a request. `done` is called once, in wire order, unless the request is abandoned. */
  request(method: string, params: unknown, done: (answer: RequestOutcome) => void): number {
    const id = this.#nextId++;
    if (this.#closed) {
      done({ type: "closed" });
      return id;
    }
    this.#pending.set(id, done);
    this.#write(requestLine(this.#toWire(id), method, params));
    return id;
  }

  notify(method: string, params: unknown): void {
    if (this.#closed) return;
    this.#idAtNotification = this.#nextId;
    this.#write(notificationLine(method, params));
  }

  /** Sends $/cancel_request. The response is still awaited. */
  cancelRequest(id: number): void {
    if (this.#pending.has(id)) this.notify("$/cancel_request", { requestId: this.#toWire(id) });
  }

  /** Stops waiting for a response: `done` is not called, and a late response is ignored. */
  abandon(id: number): void {
    if (!this.#pending.delete(id)) return;
    this.#abandoned.add(id);
    const oldest = this.#abandoned.values().next();
    if (this.#abandoned.size > abandonedMax && !oldest.done) this.#abandoned.delete(oldest.value);
  }

  /**
   * Ends all pending requests as "closed", in the order they were sent. Nothing is read or written afterwards.
   * Idempotent.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const request of this.#open.values()) request.drop();
    this.#open.clear();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const done of pending) done({ type: "closed" });
  }

  /** Handles one line of the other side. Never throws, whatever the line contains. */
  receive(line: string): void {
    if (this.#closed) return;
    const isTooWide = hasMoreValuesThan(line, this.#limits.valuesMax);
    let value: unknown;
    try {
      value = isTooWide ? outlineMessage(line) : parseJson(line);
    } catch (error) {
      if (line.trim() !== "") this.#onUnreadable(line, describeParseError(line, error));
      return;
    }
    if (value === undefined) {
      this.#onUnreadable(line, `it has more than ${this.#limits.valuesMax} values`);
      return;
    }
    const message = classify(value);
    if (message.type === "noise" || message.type === "batch") {
      if (message.type === "batch") this.#refuseBatch(line);
      else this.#onNoise(line, value);
      return;
    }
    this.#noise.reset();
    if (isRecord(value) && value["jsonrpc"] !== "2.0") {
      if (this.#isServer && message.type === "request")
        return this.#refuseInvalid(message.id, line, 'it lacks "jsonrpc":"2.0"');
      this.#faultOnce("unversioned", 'A message without "jsonrpc":"2.0" was accepted', line);
    }
    const { depthMax, valuesMax } = this.#limits;
    if (isTooWide) {
      this.#refuseMessage("too-wide", `more than ${valuesMax} values`, message, line);
    } else if (isTooDeep(line, value, depthMax)) {
      this.#refuseMessage("too-deep", `arrays and objects in more than ${depthMax} levels`, message, line);
    } else {
      this.#dispatch(message, line);
    }
  }

  #dispatch(message: Message, line: string): void {
    switch (message.type) {
      case "notification":
        this.#onNotification(message.method, message.params, line);
        return;
      case "request":
        if (this.#isServer && typeof message.id === "string" && message.id.trim() === "") {
          this.#onNotification(message.method, message.params, line);
        } else this.#onRequest(message, line);
        return;
      case "response":
        this.#onResponse(message.id, message.body, line);
        return;
      case "invalid":
        this.#fault("invalid-request", `A message was refused: ${message.message}`, line);
        this.#refuseInvalid(message.id, line, message.message);
    }
  }

  /** Drops a message that exceeds a limit. If it is a response, its request fails; if a request, it is refused. */
  #refuseMessage(fault: "too-deep" | "too-wide", what: string, message: Message, line: string): void {
    this.#fault(fault, `A message was dropped: it has ${what}`, line);
    if (message.type === "response") this.#onResponse(message.id, message.body, line, what);
    else if (message.type !== "notification") this.#refuseInvalid(message.id, line, `it has ${what}`);
  }

  #refuseInvalid(id: RequestId, line: string, why: string): void {
    const rawId = id === null ? "null" : (rawMember(line, "id") ?? "null");
    this.#refuse(rawId, { code: RPC.invalidRequest, message: `Invalid request: ${why}` });
  }

  #onNotification(method: string, params: unknown, line: string): void {
    if (method !== "$/cancel_request") return this.#handler.onNotification(method, params, line);
    if (!isRecord(params)) return;
    for (const request of this.#open.values()) {
      if (request.id !== numberOf(params["requestId"])) continue;
      this.#handler.onCancelRequest(request);
      return;
    }
  }

  #onRequest(message: { id: RequestId; method: string; params: unknown }, line: string): void {
    const rawId = rawMember(line, "id") ?? "null";
    if (findRepeatedName(line) !== undefined) {
      this.#fault("repeated-member", "A request has an object with a repeated member name; the last one counts", line);
    }
    const key = idKey(message.id, rawId);
    if (message.id === null || (typeof message.id === "number" && !Number.isInteger(message.id))) {
      this.#fault("unusual-id", "A request has null or a fraction as its id", line);
    }
    if (this.#open.has(key)) {
      this.#fault("duplicate-id", "A request repeats the id of one that is still open", line);
      this.#refuse(rawId, { code: RPC.invalidRequest, message: "Invalid request: this id is in use" });
      return;
    }
    if (!this.#hasRoomForRequest(line)) {
      this.#fault("too-many-requests", "Too many requests are open at once, or they are too long", line);
      this.#refuse(rawId, { code: RPC.internalError, message: "Too many requests are open" });
      return;
    }
    const answer = (reply: string, written?: () => void): void => {
      if (this.#open.delete(key)) this.#openCharacters -= line.length;
      if (!this.#closed) this.#write(reply, written);
    };
    const request = new IncomingRequest({ ...message, rawId, key: this.#nextKey++, size: line.length, answer });
    this.#open.set(key, request);
    this.#openCharacters += line.length;
    this.#handler.onRequest(request);
  }

  #hasRoomForRequest({ length }: string): boolean {
    const { openRequestsMax, openRequestCharactersMax } = this.#limits;
    if (this.#open.size === 0) return true;
    return this.#open.size < openRequestsMax && this.#openCharacters + length <= openRequestCharactersMax;
  }

  #onResponse(id: unknown, body: Readonly<Record<string, unknown>>, line: string, refused?: string): void {
    const ours = this.#findPendingId(id, line);
    if (ours !== undefined && this.#pending.has(ours)) {
      this.#settle(ours, refused === undefined ? this.#toOutcome(body, line) : { type: "malformed", what: refused });
      return;
    }
    if (ours !== undefined && this.#abandoned.delete(ours)) return;
    this.#onUnexpectedResponse(id, body, line);
    const only = lacksId(id) ? this.#findOnlyPending() : undefined;
    if (only === undefined) return;
    const failed = toRpcError(body);
    this.#settle(
      only,
      failed
        ? { type: "error", error: failed.error }
        : { type: "malformed", what: refused ?? "a response that has no id" },
    );
  }

  #settle(id: number, answer: RequestOutcome): void {
    const done = this.#pending.get(id);
    this.#pending.delete(id);
    done?.(answer);
  }

  /**
   * Returns the request that a response without an id must belong to: the only pending one, unless a notification was
   * sent since (which some agents answer by mistake) or a late response to an abandoned request may come.
   */
  #findOnlyPending(): number | undefined {
    const [id] = this.#pending.keys();
    const isOnly = this.#pending.size === 1 && this.#abandoned.size === 0;
    return isOnly && id !== undefined && id >= this.#idAtNotification ? id : undefined;
  }

  #toOutcome(body: Readonly<Record<string, unknown>>, line: string): RequestOutcome {
    const failed = toRpcError(body);
    if (failed === undefined) {
      if ("result" in body) return { type: "result", result: body["result"] };
      this.#fault("malformed-response", "A response has neither result nor error", line);
      return { type: "malformed", what: "neither result nor error" };
    }
    if ("result" in body)
      this.#fault("result-and-error", "A response has both result and error; the error counts", line);
    if (!failed.whole) this.#fault("malformed-error", "An error lacks its integer code or its message", line);
    return { type: "error", error: failed.error };
  }

  #onUnexpectedResponse(id: unknown, body: Readonly<Record<string, unknown>>, line: string): void {
    const reason = id === null ? (toRpcError(body)?.error.message ?? "") : "";
    const message =
      reason === "" ? "A response matches no pending request" : `A message of ours could not be read: ${reason}`;
    this.#fault("unknown-response", this.#sample(message), line);
  }

  /**
   * Finds the request that a response answers. Our ids are integers. A response that spells 0 as "0" or 0.0 is accepted
   * and reported once: if it were refused, its request would wait for ever.
   */
  #findPendingId(id: unknown, line: string): number | undefined {
    const ours = this.#fromWire(id);
    if (ours === undefined || !this.#pending.has(ours)) return ours;
    if (rawMember(line, "id") !== String(this.#toWire(ours))) {
      this.#faultOnce("id-spelling", "A response spells its integer id differently from the request", line);
    }
    return ours;
  }

  #toWire(id: number): number {
    return this.#isServer ? -1 - id : id;
  }

  #fromWire(id: unknown): number | undefined {
    const number = toIdNumber(id);
    return number === undefined ? undefined : this.#toWire(number);
  }

  /** Handles a line that cannot be parsed, or the beginning of one that is too long, as `receive` does. */
  receiveUnreadable(line: string, why: string): void {
    if (!this.#closed) this.#onUnreadable(line, why);
  }

  /** Fails the requests that an unparsable line answers, and refuses those in it, so that neither side waits. */
  #onUnreadable(line: string, why: string): void {
    const messages = recogniseMessages(line);
    const parseError = { code: RPC.parseError, message: `Parse error: ${why}` };
    if (this.#isServer && messages.every(({ type }) => type === "notification")) this.#refuse("null", parseError);
    if (messages.length === 0) return this.#faultNoise(line);
    this.#fault("not-json", `A message is not JSON: ${why}`, line);
    for (const message of messages) {
      if (message.type === "response") this.#failAnswered(message.id, `a line that is not JSON: ${why}`);
      else if (message.type === "request") this.#refuse(message.rawId ?? "null", parseError);
    }
    this.#countNoise(line);
  }

  #failAnswered(id: unknown, what: string): void {
    const ours = lacksId(id) ? this.#findOnlyPending() : this.#fromWire(id);
    if (ours === undefined || this.#abandoned.delete(ours)) return;
    this.#settle(ours, { type: "malformed", what });
  }

  #refuseBatch(line: string): void {
    this.#fault("batch", "A batch was refused: ACP has no batches", line);
    for (const message of recogniseMessages(line)) {
      if (message.type === "response") this.#failAnswered(message.id, "a batch, which ACP does not have");
    }
    this.#refuse("null", { code: RPC.invalidRequest, message: "Invalid request: batches are not supported" });
    this.#countNoise(line);
  }

  #onNoise(line: string, value: unknown): void {
    this.#faultNoise(line);
    if (!this.#isServer) return;
    const id = isRecord(value) ? numberOf(value["id"]) : null;
    this.#refuseInvalid(isRequestId(id) ? id : null, line, "it is not a message");
  }

  #faultNoise(line: string): void {
    this.#fault("noise", "A line is not a JSON-RPC message", line);
    this.#countNoise(line);
  }

  #countNoise(line: string): void {
    const broken = this.#noise.add(line.length);
    if (broken !== undefined) this.#handler.onBroken(broken);
  }

  #refuse(rawId: string, error: RpcError): void {
    if (!this.#closed) this.#write(errorLine(rawId, error));
  }

  #faultOnce(fault: PeerFault, message: string, line: string): void {
    if (this.#reportedOnce.has(fault)) return;
    this.#reportedOnce.add(fault);
    this.#fault(fault, message, line);
  }

  #fault(fault: PeerFault, message: string, line: string): void {
    this.#handler.onFault(fault, message, this.#sample(line));
  }

  #sample(text: string): string {
    return redactSample(text, this.#limits.sampleCharactersMax, this.#redact);
  }
}

/** Skips short lines, since each level takes at least two characters. */
function isTooDeep(line: string, value: unknown, depthMax: number): boolean {
  return line.length > 2 * depthMax && isDeeperThan(value, depthMax);
}

/** Reads an id as a number, even if it is spelled as a string. */
function toIdNumber(id: unknown): number | undefined {
  const number = typeof id === "string" && id.trim() !== "" ? Number(id) : numberOf(id);
  return typeof number === "number" ? number : undefined;
}

/** Whether a response has no usable id. Null stands for an id that the other side could not read. */
function lacksId(id: unknown): boolean {
  return typeof id !== "number" && typeof id !== "string";
}

/** Describes a parse error without V8's excerpt of the text, which could hold a part of a secret. */
function describeParseError(line: string, error: unknown): string {
  if (line.includes("\0")) return "it contains NUL characters, as UTF-16 does; ACP is UTF-8";
  return error instanceof Error ? error.message.replace(/, (?:\.\.\.)?".*$/su, "") : String(error);
}
