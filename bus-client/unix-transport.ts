// SPDX-License-Identifier: MIT OR Apache-2.0

import { createConnection } from "node:net";
import type { Socket } from "node:net";
import { BusError, asBusError } from "./bus-error.ts";
import { corkPerTick } from "./cork-per-tick.ts";
import { Inlet } from "./inlet.ts";
import type { Pieces } from "./pieces.ts";
import { RandomBytes } from "./random-bytes.ts";
import { sha1 } from "./sha1.ts";
import { closeTimeoutMs } from "./transport.ts";
import type { Transport, TransportListener } from "./transport.ts";
import { FrameReader, MaskingEncoder, WebSocketFault, opcodes } from "./websocket-frames.ts";
import { frameBytesMax } from "./wire.ts";

/** Bytes of the answer to the WebSocket upgrade, up to the empty line. */
const handshakeBytesMax = 16 * 1024;

export interface UnixAddress {
  readonly socketPath: string;
  readonly requestPath: string;
}

/**
 * A WebSocket client over a Unix socket, without any library: the command line starts with it, and a library's parsing
 * alone would take a third of its start. A listener whose queue is full is tried again until the time is over. Rejects
 * with BusError DIAL_FAILED.
 */
export async function dialUnix(address: UnixAddress, timeoutMs: number): Promise<Transport> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const left = deadline - performance.now();
    try {
      return await attempt(address, Math.max(left, 1));
    } catch (error) {
      const { code } = ((error as BusError).cause ?? {}) as NodeJS.ErrnoException;
      if (code !== "EAGAIN" || left <= retryMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

const retryMs = 20;

async function attempt(address: UnixAddress, timeoutMs: number): Promise<Transport> {
  const inlet = new Inlet();
  const socket = createConnection({ path: address.socketPath, onread: inlet });
  const random = new RandomBytes();
  try {
    const key = random.take(16).toString("base64");
    await shakeHands(socket, inlet, address.requestPath, key, timeoutMs);
    return new UnixTransport(socket, inlet, random);
  } catch (error) {
    socket.destroy();
    throw asBusError(error, "DIAL_FAILED");
  }
}

class UnixTransport implements Transport {
  readonly kind = "unix";
  readonly #socket: Socket;
  readonly #corkThisTick: () => void;
  readonly #encoder: MaskingEncoder;
  readonly #inlet: Inlet;
  #state: "open" | "closing" | "closed" = "open";
  #fault: Error | undefined;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, inlet: Inlet, random: RandomBytes) {
    this.#encoder = new MaskingEncoder(random);
    this.#socket = socket;
    this.#inlet = inlet;
    this.#corkThisTick = corkPerTick(socket);
    socket.on("error", (error) => (this.#fault ??= error));
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  send(text: string, rest: Pieces = []): void {
    if (this.#state === "open") this.#write(opcodes.text, [text, ...rest]);
  }

  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  listen(listener: TransportListener): void {
    const reader = new FrameReader(
      {
        text: (message) => {
          if (this.#state !== "closed") listener.message(message);
        },
        // The Bus is text; a broker that sends anything else is not one.
        binary: () => this.#fail(new WebSocketFault(1003, "a binary message")),
        ping: (payload) => this.#write(opcodes.pong, payload),
        close: (code) => this.#answerClose(code),
      },
      frameBytesMax,
    );
    const push = (chunk: Buffer): void => {
      if (this.#state === "closed") return;
      try {
        reader.push(chunk);
      } catch (error) {
        if (!(error instanceof WebSocketFault)) throw error;
        this.#fail(error);
      }
    };
    this.#socket.on("close", () => {
      this.#state = "closed";
      clearTimeout(this.#closeTimer);
      listener.close(this.#fault);
    });
    if (this.#socket.closed) setImmediate(() => listener.close(this.#fault));
    else this.#inlet.open(push, this.#socket);
  }

  close(): void {
    if (this.#state !== "open") return;
    this.#state = "closing";
    this.#write(opcodes.close, closePayload(1000));
    this.#endSoon();
  }

  destroy(): void {
    this.#state = "closed";
    this.#socket.destroy();
  }

  #write(opcode: number, payload: Pieces | Buffer): void {
    if (!this.#socket.writable) return;
    this.#corkThisTick();
    this.#socket.write(this.#encoder.encode(opcode, payload));
  }

  #answerClose(code: number | undefined): void {
    if (this.#state === "open") {
      this.#write(opcodes.close, code === undefined ? Buffer.alloc(0) : closePayload(code));
      if (code !== undefined && code !== 1000 && code !== 1001) {
        this.#fault ??= new BusError("CONNECTION_LOST", `the broker closed the connection with WebSocket code ${code}`);
      }
    }
    this.#state = "closed";
    this.#socket.end();
    this.#endSoon();
  }

  #fail(fault: WebSocketFault): void {
    this.#fault ??= fault;
    this.#write(opcodes.close, closePayload(fault.closeCode));
    this.#state = "closed";
    this.#socket.end();
    this.#endSoon();
  }

  #endSoon(): void {
    this.#closeTimer ??= setTimeout(() => this.#socket.destroy(), closeTimeoutMs);
  }
}

function closePayload(code: number): Buffer {
  return Buffer.of(code >>> 8, code & 0xff);
}

/** What comes after the handshake is held. */
function shakeHands(socket: Socket, inlet: Inlet, requestPath: string, key: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    // Its listeners stay: a late error of a socket that is given up must not end the process.
    const end = (error: Error | undefined, rest?: Buffer): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      inlet.hold(rest);
      if (error === undefined) resolve();
      else reject(error);
    };
    const failed = (message: string): void => end(new BusError("DIAL_FAILED", message));
    const timer = setTimeout(() => failed(`no WebSocket handshake within ${timeoutMs} ms`), timeoutMs);
    let received: Buffer | undefined;
    inlet.receive = (chunk) => {
      received = received === undefined ? chunk : Buffer.concat([received, chunk]);
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd < 0) {
        if (received.length > handshakeBytesMax) failed("the handshake's answer does not end");
        return;
      }
      const refusal = refusalOf(received.toString("latin1", 0, headEnd), (accept ??= acceptOf(key)));
      if (refusal === undefined) end(undefined, received.subarray(headEnd + 4));
      else failed(refusal);
    };
    socket.on("error", end).on("close", () => failed("the broker closed the connection during the handshake"));
    socket.write(
      `GET ${requestPath} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    // The write waits for the connection too, and comes first: this is computed while the broker answers.
    let accept: string | undefined;
    socket.once("connect", () => (accept = acceptOf(key)));
  });
}

function acceptOf(key: string): string {
  return sha1(Buffer.from(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)).toString("base64");
}

function refusalOf(head: string, accept: string): string | undefined {
  const [status = "", ...lines] = head.split("\r\n");
  if (!/^HTTP\/1\.1 101( |$)/.test(status)) return `the WebSocket upgrade was refused: ${status.slice(0, 100)}`;
  const header = (name: string): string | undefined =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  if (header("upgrade")?.toLowerCase() !== "websocket") return "the answer upgrades to something else than a WebSocket";
  if (header("sec-websocket-accept") !== accept) return "the answer does not prove that it read the handshake";
  if (header("sec-websocket-extensions")) return "the answer uses an extension that was not asked for";
  if (header("sec-websocket-protocol")) return "the answer uses a sub-protocol that was not asked for";
  return undefined;
}
