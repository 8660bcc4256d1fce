// SPDX-License-Identifier: MIT OR Apache-2.0
// A Peer on two streams, with promises and signals. This is the only writer of the output, and a handler's result or
// error is written here, so that handlers run beside each other and never write.
import type { Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { IncomingRequest } from "../../acp-client/jsonrpc/incoming-request.ts";
import { LineSplitter } from "../../acp-client/jsonrpc/line-splitter.ts";
import { errorLine, RPC } from "../../acp-client/jsonrpc/message.ts";
import { Peer, type RequestOutcome } from "../../acp-client/jsonrpc/peer.ts";
import { RequestError, toRequestError } from "./request-error.ts";

export interface ConnectionHandler {
  /** Rejects with a RequestError to answer with that error. The signal is aborted when the other side cancels it. */
  request(method: string, params: unknown, signal: AbortSignal): Promise<object>;
  notification(method: string, params: unknown): void;
  /** Nothing more is read. Requests that are open have `endGraceMs` to be answered, and so long is its promise awaited. */
  ended(): Promise<void> | void;
}

export interface ConnectionOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly handler: ConnectionHandler;
  /** Whether the other side is a client (see PeerOptions). */
  readonly isServer: boolean;
  /** Receives mistakes of the other side, without what it sent, and unexpected exceptions with their stacks. */
  readonly diagnose: (text: string) => void;
}

/** Length of a received line. A longer one is refused. */
const lineBytesMax = 64 * 1024 * 1024;
/** Bytes that wait for the other side to read. While there are more, nothing is read. */
const outputBytesMax = 64 * 1024 * 1024;
/** Time for open requests and the output after the end of the input. */
const endGraceMs = 1_500;

type Write = (text: string, written?: () => void) => boolean;

export class Connection {
  /**
   * Resolves when the input has ended and everything is answered and written, or the time for that is over: to the error
   * if the input could not be read.
   */
  readonly closed: Promise<Error | undefined>;
  readonly #options: ConnectionOptions;
  /** Bound at the start, because `serveOnStdio` replaces the stream's own `write` afterwards. */
  readonly #write: Write;
  readonly #peer: Peer;
  readonly #splitter: LineSplitter;
  readonly #serving = new Map<number, { readonly cancel: AbortController; readonly done: Promise<void> }>();
  readonly #asked = new Set<(error: Error) => void>();
  /** Waits until the other side has read more. */
  #waiting: (() => void)[] = [];
  #hasEnded = false;
  #resolveClosed = (_failure: Error | undefined): void => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    const { input, output } = options;
    this.#write = output.write.bind(output) as Write;
    this.#peer = this.#makePeer();
    this.#splitter = this.#makeSplitter();
    input.on("data", (chunk: Buffer) => this.#splitter.push(chunk));
    input.once("end", () => this.end());
    input.once("error", (error) => this.#end(error));
    // The other side has closed its end.
    output.on("error", () => this.end());
    for (const event of ["drain", "close"]) output.on(event, () => this.#resume());
  }

  /** Resolves to the result. When the signal is aborted first, cancels the request and rejects with its reason. */
  async request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#hasEnded) throw new ConnectionEnded();
    return await new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        settle();
        this.#peer.cancelRequest(id);
        this.#peer.abandon(id);
        reject(error);
      };
      const onAbort = (): void => fail(signal.reason as Error);
      const settle = (): void => {
        signal.removeEventListener("abort", onAbort);
        this.#asked.delete(fail);
      };
      const id = this.#peer.request(method, params, (outcome) => {
        settle();
        if (outcome.type === "result") resolve(outcome.result);
        else reject(toError(outcome));
      });
      this.#asked.add(fail);
      signal.addEventListener("abort", onAbort);
    });
  }

  /** Writes at once. Resolves when the other side reads fast enough for more; what produces much must wait for it. */
  async notify(method: string, params: object): Promise<void> {
    this.#peer.notify(method, params);
    if (this.#options.output.writableNeedDrain) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Ends the connection as the end of the input does. Idempotent. */
  end(): void {
    this.#end(undefined);
  }

  #end(failure: Error | undefined): void {
    if (this.#hasEnded) return;
    this.#splitter.end();
    this.#hasEnded = true;
    for (const fail of this.#asked) fail(new ConnectionEnded());
    const released = Promise.resolve(this.#options.handler.ended()).catch((error: unknown) =>
      this.#options.diagnose(describe(error)),
    );
    void this.#finish(released).then(() => this.#resolveClosed(failure));
  }

  async #finish(released: Promise<void>): Promise<void> {
    const answered = async (): Promise<void> => {
      await released;
      await Promise.all(Array.from(this.#serving.values(), ({ done }) => done));
      await new Promise<void>((resolve) => this.#write("", () => resolve()));
    };
    const late = new AbortController();
    await Promise.race([answered(), setTimeout(endGraceMs, undefined, { signal: late.signal }).catch(() => {})]);
    late.abort();
    this.#peer.close();
  }

  #makePeer(): Peer {
    const { handler, diagnose, isServer } = this.#options;
    return new Peer({
      isServer,
      write: (line, written) => this.#writeLine(line, written),
      handler: {
        onRequest: (request) => this.#serve(request),
        onNotification: (method, params) => handler.notification(method, params),
        onCancelRequest: ({ key }) => this.#serving.get(key)?.cancel.abort(),
        onFault: (_fault, message) => diagnose(message),
        onBroken: () => {},
      },
    });
  }

  #makeSplitter(): LineSplitter {
    const unreadable = (why: string): void =>
      this.#writeLine(errorLine("null", { code: RPC.parseError, message: `Parse error: ${why}` }));
    return new LineSplitter({
      lineBytesMax,
      skipsOverlong: true,
      onLine: (line) => this.#peer.receive(line),
      onOverlong: (_bytes, start) =>
        this.#peer.receiveUnreadable(start, `the line has more than ${lineBytesMax} bytes`),
      onNotUtf8: () => unreadable("the line is not UTF-8"),
      onUtf16: () => unreadable("the input is UTF-16; ACP is UTF-8"),
    });
  }

  #serve(request: IncomingRequest): void {
    const cancel = new AbortController();
    const done = this.#answer(request, cancel.signal).finally(() => this.#serving.delete(request.key));
    this.#serving.set(request.key, { cancel, done });
  }

  async #answer(request: IncomingRequest, signal: AbortSignal): Promise<void> {
    try {
      request.reply(await this.#options.handler.request(request.method, request.params, signal));
    } catch (error) {
      if (!(error instanceof RequestError)) this.#options.diagnose(describe(error));
      request.refuse(toRequestError(error).rpc);
    }
  }

  #writeLine(line: string, written?: () => void): void {
    const { input, output } = this.#options;
    this.#write(`${line}\n`, written);
    if (output.writableLength > outputBytesMax) input.pause();
  }

  #resume(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
    this.#options.input.resume();
  }
}

function toError(outcome: Exclude<RequestOutcome, { type: "result" }>): Error {
  if (outcome.type === "closed") return new ConnectionEnded();
  if (outcome.type === "malformed") return new Error(`The other side answered with ${outcome.what}`);
  return new RequestError(outcome.error.code, outcome.error.message, outcome.error.data);
}

/** The other side is gone, and has not answered. */
export class ConnectionEnded extends Error {
  override readonly name = "ConnectionEnded";

  constructor() {
    super("The other side is gone");
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
