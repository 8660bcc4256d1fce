// SPDX-License-Identifier: MIT OR Apache-2.0
// One side of a JSON-RPC 2.0 conversation over lines. Everything is delivered synchronously and in wire order, replies
// too: a promise would let the lines behind a response overtake it. The ids of the two sides are two separate spaces.
import { IncomingRequest } from "./incoming-request.ts";
import { NoiseCount } from "./noise-count.ts";
import { RPC, classify, errorLine, errorOf, idKey, notificationLine, requestLine } from "./message.ts";
import type { Incoming, RequestId, RpcError } from "./message.ts";
import { type PeerLimits, peerLimits } from "./peer-limits.ts";
import { rawMember } from "./raw-member.ts";
import { isDeeperThan } from "../../json/depth.ts";
import { numberOf, parseJson } from "../../json/raw-json.ts";
import { isRecord } from "../../json/record.ts";
import { findRepeatedName } from "../../json/repeated-name.ts";
import { recogniseMessages } from "./recognise.ts";
import { isTextWiderThan, outlineOf } from "./width.ts";
import { redactedSample, type Redact } from "../redaction.ts";

export type Answer =
  | { readonly type: "result"; readonly result: unknown }
  | { readonly type: "error"; readonly error: RpcError }
  /** A response that cannot be taken; `what` it came with. */
  | { readonly type: "malformed"; readonly what: string }
  /** The peer was closed before an answer came. */
  | { readonly type: "closed" };

/** What the other side did wrong without breaking the conversation. */
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
  /** Has to answer it, now or later; an unknown method with -32601. */
  onRequest(request: IncomingRequest): void;
  /** `line` is its whole text, for those who can use what stands in it as it is, and `bytes` what that was read from. */
  onNotification(method: string, params: unknown, line: string, bytes: Buffer | undefined): void;
  /** The other side takes a request back; it must be answered all the same. */
  onCancelRequest(request: IncomingRequest): void;
  /** Once for each occurrence; "unversioned" and "id-spelling" once in a peer's life. */
  onFault(fault: PeerFault, message: string, sample: string): void;
  /** Nothing sensible comes from the other side: the owner is to close. At most once. */
  onBroken(message: string): void;
}

export interface PeerOptions {
  /** One message without its newline. `written` is to be called when it has left. */
  readonly write: (line: string, written?: () => void) => void;
  readonly handler: PeerHandler;
  readonly limits?: Partial<PeerLimits>;
  /** Takes secrets out of what is told of the other side's words. */
  readonly redact?: Redact;
}

type Message = Exclude<Incoming, { type: "noise" | "batch" }>;

/** Abandoned requests whose late answer is expected; older ones are forgotten, and their answer is a fault. */
const abandonedMax = 1024;

export class Peer {
  readonly #write: PeerOptions["write"];
  readonly #handler: PeerHandler;
  readonly #limits: PeerLimits;
  readonly #redact: Redact;
  readonly #noise: NoiseCount;
  readonly #pending = new Map<number, (answer: Answer) => void>();
  readonly #abandoned = new Set<number>();
  /** The first id that was not yet given out when the last notification was sent. */
  #idAtNotification = 0;
  readonly #open = new Map<string, IncomingRequest>();
  #openCharacters = 0;
  readonly #toldOnce = new Set<PeerFault>();
  #nextId = 0;
  #nextKey = 1;
  #closed = false;

  constructor(options: PeerOptions) {
    this.#write = options.write;
    this.#handler = options.handler;
    this.#limits = { ...peerLimits, ...options.limits };
    this.#redact = options.redact ?? ((text) => text);
    this.#noise = new NoiseCount(this.#limits);
  }

  /** Sends a request; `done` is called exactly once, in wire order, unless the request is abandoned. */
  request(method: string, params: unknown, done: (answer: Answer) => void): number {
    const id = this.#nextId++;
    if (this.#closed) {
      done({ type: "closed" });
      return id;
    }
    this.#pending.set(id, done);
    this.#write(requestLine(id, method, params));
    return id;
  }

  notify(method: string, params: unknown): void {
    if (this.#closed) return;
    this.#idAtNotification = this.#nextId;
    this.#write(notificationLine(method, params));
  }

  /** Asks the other side to give a request up; its answer is still awaited. */
  cancelRequest(id: number): void {
    if (this.#pending.has(id)) this.notify("$/cancel_request", { requestId: id });
  }

  /** Waits no longer: `done` is not called, and a late answer is ignored. */
  abandon(id: number): void {
    if (!this.#pending.delete(id)) return;
    this.#abandoned.add(id);
    const oldest = this.#abandoned.values().next();
    if (this.#abandoned.size > abandonedMax && !oldest.done) this.#abandoned.delete(oldest.value);
  }

  /** Ends every pending request as "closed", in the order of sending, and hears and says nothing more. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const request of this.#open.values()) request.drop();
    this.#open.clear();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const done of pending) done({ type: "closed" });
  }

  /** One line of the other side, perhaps with the bytes that it was read from. Never throws on what is in it. */
  receive(line: string, bytes?: Buffer): void {
    if (this.#closed) return;
    const wide = isTextWiderThan(line, this.#limits.valuesMax);
    let value: unknown;
    try {
      value = wide ? outlineOf(line) : parseJson(line);
    } catch (error) {
      if (line.trim() !== "") this.#onUnreadable(line, unreadableWords(line, error));
      return;
    }
    if (value === undefined) {
      this.#onUnreadable(line, `it has more than ${this.#limits.valuesMax} values`);
      return;
    }
    const message = classify(value);
    if (message.type === "noise" || message.type === "batch") {
      if (message.type === "batch") this.#refuseBatch(line);
      else this.#onNoise(line);
      return;
    }
    this.#noise.reset();
    if (isRecord(value) && value["jsonrpc"] !== "2.0") {
      this.#faultOnce("unversioned", 'A message without "jsonrpc":"2.0" was taken as if it had it', line);
    }
    const { depthMax, valuesMax } = this.#limits;
    if (wide) {
      this.#refuseMessage("too-wide", `more than ${valuesMax} values`, message, line);
    } else if (isTooDeep(line, value, depthMax)) {
      this.#refuseMessage("too-deep", `arrays and objects in more than ${depthMax} levels`, message, line);
    } else {
      this.#dispatch(message, line, bytes);
    }
  }

  #dispatch(message: Message, line: string, bytes: Buffer | undefined): void {
    switch (message.type) {
      case "notification":
        this.#onNotification(message.method, message.params, line, bytes);
        return;
      case "request":
        this.#onRequest(message, line);
        return;
      case "response":
        this.#onResponse(message.id, message.body, line);
        return;
      case "invalid":
        this.#fault("invalid-request", `A message was refused: ${message.message}`, line);
        this.#refuseInvalid(message.id, line, message.message);
    }
  }

  /** Nothing of a message that has `what` goes any further, but that an answer has come. */
  #refuseMessage(fault: "too-deep" | "too-wide", what: string, message: Message, line: string): void {
    this.#fault(fault, `A message was not taken: it has ${what}`, line);
    if (message.type === "response") this.#onResponse(message.id, message.body, line, what);
    else if (message.type !== "notification") this.#refuseInvalid(message.id, line, `it has ${what}`);
  }

  #refuseInvalid(id: RequestId, line: string, why: string): void {
    const rawId = id === null ? "null" : (rawMember(line, "id") ?? "null");
    this.#refuse(rawId, { code: RPC.invalidRequest, message: `Invalid request: ${why}` });
  }

  #onNotification(method: string, params: unknown, line: string, bytes: Buffer | undefined): void {
    if (method !== "$/cancel_request") {
      this.#handler.onNotification(method, params, line, bytes);
      return;
    }
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
      this.#fault("repeated-member", "A request has two members of one name in one object: the last counts", line);
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
    if (!this.#hasRoomFor(line)) {
      this.#fault("too-many-requests", "More requests are open at once, or longer ones, than are kept", line);
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

  #hasRoomFor({ length }: string): boolean {
    const { openRequestsMax, openRequestCharactersMax } = this.#limits;
    if (this.#open.size === 0) return true;
    return this.#open.size < openRequestsMax && this.#openCharacters + length <= openRequestCharactersMax;
  }

  #onResponse(id: unknown, body: Readonly<Record<string, unknown>>, line: string, refused?: string): void {
    const ours = this.#ourId(id, line);
    if (ours !== undefined && this.#pending.has(ours)) {
      this.#settle(ours, refused === undefined ? this.#answerOf(body, line) : { type: "malformed", what: refused });
      return;
    }
    if (ours !== undefined && this.#abandoned.delete(ours)) return;
    this.#onUnexpectedResponse(id, body, line);
    const only = hasNoId(id) ? this.#onlyAsked() : undefined;
    if (only === undefined) return;
    const failed = errorOf(body);
    this.#settle(
      only,
      failed
        ? { type: "error", error: failed.error }
        : { type: "malformed", what: refused ?? "a response that has no id" },
    );
  }

  #settle(id: number, answer: Answer): void {
    const done = this.#pending.get(id);
    this.#pending.delete(id);
    done?.(answer);
  }

  /**
   * What a response without an id must be meant for: the one request that is open, if nothing was said since that an
   * agent may answer by mistake or an answer of which would come late.
   */
  #onlyAsked(): number | undefined {
    const [id] = this.#pending.keys();
    const isOnly = this.#pending.size === 1 && this.#abandoned.size === 0;
    return isOnly && id !== undefined && id >= this.#idAtNotification ? id : undefined;
  }

  #answerOf(body: Readonly<Record<string, unknown>>, line: string): Answer {
    const failed = errorOf(body);
    if (failed === undefined) {
      if ("result" in body) return { type: "result", result: body["result"] };
      this.#fault("malformed-response", "A response holds neither result nor error", line);
      return { type: "malformed", what: "neither result nor error" };
    }
    if ("result" in body) this.#fault("result-and-error", "A response holds both; the error counts", line);
    if (!failed.whole) this.#fault("malformed-error", "An error lacks its integer code or its message", line);
    return { type: "error", error: failed.error };
  }

  #onUnexpectedResponse(id: unknown, body: Readonly<Record<string, unknown>>, line: string): void {
    const about = id === null ? (errorOf(body)?.error.message ?? "") : "";
    const message =
      about === "" ? "A response to nothing that was asked, or a second one" : `It could not read a message: ${about}`;
    this.#fault("unknown-response", this.#sample(message), line);
  }

  /**
   * Ids are minted here as integers. An agent that answers "0" or 0.0 to our 0 is taken at its meaning and reported
   * once: refusing it would leave a request waiting that was answered.
   */
  #ourId(id: unknown, line: string): number | undefined {
    const number = idNumber(id);
    if (number === undefined || !this.#pending.has(number)) return number;
    if (rawMember(line, "id") !== String(number)) {
      this.#faultOnce("id-spelling", "A response spells the integer id of its request in another way", line);
    }
    return number;
  }

  /** Waits for no answer that has come and cannot be read: what it answers fails, and what it asks is refused. */
  #onUnreadable(line: string, why: string): void {
    const messages = recogniseMessages(line);
    if (messages.length === 0) {
      this.#onNoise(line);
      return;
    }
    this.#fault("not-json", `A message is not JSON: ${why}`, line);
    for (const message of messages) {
      if (message.type === "response") this.#failAnswered(message.id, `a line that is not JSON: ${why}`);
      else if (message.type === "request") {
        this.#refuse(message.rawId ?? "null", { code: RPC.parseError, message: `Parse error: ${why}` });
      }
    }
    this.#countNoise(line);
  }

  #failAnswered(id: unknown, what: string): void {
    const ours = hasNoId(id) ? this.#onlyAsked() : idNumber(id);
    if (ours === undefined || this.#abandoned.delete(ours)) return;
    this.#settle(ours, { type: "malformed", what });
  }

  #refuseBatch(line: string): void {
    this.#fault("batch", "An array came: ACP has no batches", line);
    for (const message of recogniseMessages(line)) {
      if (message.type === "response") this.#failAnswered(message.id, "a batch, which ACP does not have");
    }
    this.#refuse("null", { code: RPC.invalidRequest, message: "Invalid request: batches are not supported" });
    this.#countNoise(line);
  }

  #onNoise(line: string): void {
    this.#fault("noise", "Something that is no JSON-RPC message was on the agent's stdout", line);
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
    if (this.#toldOnce.has(fault)) return;
    this.#toldOnce.add(fault);
    this.#fault(fault, message, line);
  }

  #fault(fault: PeerFault, message: string, line: string): void {
    this.#handler.onFault(fault, message, this.#sample(line));
  }

  #sample(text: string): string {
    return redactedSample(text, this.#limits.sampleCharactersMax, this.#redact);
  }
}

/** Each level costs two characters, and most lines are short. */
function isTooDeep(line: string, value: unknown, depthMax: number): boolean {
  return line.length > 2 * depthMax && isDeeperThan(value, depthMax);
}

/** The number that an id of ours may also be spelled as a string of. */
function idNumber(id: unknown): number | undefined {
  const number = typeof id === "string" && id.trim() !== "" ? Number(id) : numberOf(id);
  return typeof number === "number" ? number : undefined;
}

/** Null stands for an id that the other side could not read; it may also be missing, or be no id at all. */
function hasNoId(id: unknown): boolean {
  return typeof id !== "number" && typeof id !== "string";
}

/** Without the piece of the text that V8 quotes: a secret in it would be cut, and not be known again. */
function unreadableWords(line: string, error: unknown): string {
  if (line.includes("\0")) return "it has NULs between its letters, as UTF-16 has: ACP is UTF-8";
  return error instanceof Error ? error.message.replace(/, (?:\.\.\.)?".*$/su, "") : String(error);
}
