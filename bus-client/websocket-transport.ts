// SPDX-License-Identifier: MIT OR Apache-2.0

import { createConnection, type Socket } from "node:net";
import { WebSocket } from "ws";
import { BusError, asBusError } from "./bus-error.ts";
import { corkPerTick } from "./cork-per-tick.ts";
import { closeTimeoutMs, type Transport, type TransportListener } from "./transport.ts";
import { frameBytesMax } from "./wire.ts";

export type BusAddress =
  | { readonly kind: "tcp"; readonly url: string }
  | { readonly kind: "unix"; readonly socketPath: string; readonly requestPath: string };

/**
 * Opens a WebSocket over TCP or a Unix socket. Retries a Unix listener whose backlog is full until the timeout, which
 * covers everything from the first attempt to the end of the handshake. Rejects with BusError DIAL_FAILED.
 */
export async function dialWebSocket(address: BusAddress, timeoutMs: number): Promise<Transport> {
  const deadline = now() + timeoutMs;
  for (;;) {
    const left = deadline - now();
    try {
      return await attempt(address, Math.max(Math.ceil(left), 1));
    } catch (error) {
      const { code } = ((error as BusError).cause ?? {}) as NodeJS.ErrnoException;
      if (code !== "EAGAIN" || left <= retryMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

const retryMs = 20;

/** As `performance.now()`, whose first call loads ten modules of Node.js, at every start of a program. */
const now = (): number => process.uptime() * 1_000;

/** Adds an option that the types of `ws` lack. */
const closing = { closeTimeout: closeTimeoutMs };

function attempt(address: BusAddress, timeoutMs: number): Promise<Transport> {
  const socket = connected(address);
  // Without a listener, an error before `ws` adds its own would end the process.
  socket.on("error", ignore);
  const webSocket = new WebSocket(address.kind === "tcp" ? address.url : `ws://localhost${address.requestPath}`, {
    createConnection: () => socket,
    perMessageDeflate: false,
    maxPayload: frameBytesMax,
    followRedirects: false,
    ...closing,
  });
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      webSocket.off("error", failed);
      // A late error of an abandoned socket must not end the process either.
      webSocket.on("error", ignore);
    };
    const failed = (error: Error): void => {
      end();
      socket.destroy();
      reject(asBusError(error, "DIAL_FAILED"));
    };
    // The handshake timeout of `ws` is not enough: it restarts with each byte received.
    const timer = setTimeout(
      () => failed(new BusError("DIAL_FAILED", `no WebSocket handshake within ${timeoutMs} ms`)),
      timeoutMs,
    );
    webSocket.on("error", failed);
    webSocket.once("unexpected-response", (_request, { statusCode, statusMessage }) => {
      failed(new BusError("DIAL_FAILED", `the WebSocket upgrade was refused: ${statusCode} ${statusMessage}`));
    });
    webSocket.once("open", () => {
      end();
      webSocket.pause();
      resolve(new WebSocketTransport(address.kind, webSocket, socket));
    });
  });
}

function connected(address: BusAddress): Socket {
  if (address.kind === "unix") return createConnection({ path: address.socketPath });
  const { hostname, port } = new URL(address.url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return createConnection({ host, port: Number(port || 80), noDelay: true });
}

class WebSocketTransport implements Transport {
  readonly kind: "unix" | "tcp";
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #corkThisTick: () => void;
  #isOver = false;
  #fault: Error | undefined;

  constructor(kind: "unix" | "tcp", webSocket: WebSocket, socket: Socket) {
    this.kind = kind;
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#corkThisTick = corkPerTick(socket);
    webSocket.on("error", (error) => (this.#fault ??= error));
  }

  get bufferedBytes(): number {
    return this.#webSocket.bufferedAmount;
  }

  send(text: string, body?: Buffer): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    this.#corkThisTick();
    this.#webSocket.send(body === undefined ? text : text + body.toString());
  }

  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  listen(listener: TransportListener): void {
    this.#webSocket.on("message", (data: Buffer, isBinary) => {
      if (this.#isOver) return;
      if (!isBinary) listener.message(data.toString("utf8"));
      else if (this.kind === "unix") this.#refuseBinary();
    });
    const closed = (code: number): void => {
      this.#isOver = true;
      if (!quietCodes.has(code)) {
        this.#fault ??= new BusError("CONNECTION_LOST", `the connection closed with WebSocket code ${code}`);
      }
      listener.close(this.#fault);
    };
    if (this.#webSocket.readyState === WebSocket.CLOSED) {
      setImmediate(() => closed(noCloseFrame));
      return;
    }
    this.#webSocket.on("close", closed);
    this.#webSocket.resume();
  }

  close(): void {
    this.#webSocket.close(1000);
  }

  destroy(): void {
    this.#isOver = true;
    this.#webSocket.terminate();
  }

  /** Closes the connection. Like a broker, the client refuses binary messages over Unix sockets and ignores them over TCP. */
  #refuseBinary(): void {
    this.#isOver = true;
    this.#fault ??= new BusError("CONNECTION_LOST", "the broker sent a binary message");
    this.#webSocket.close(1003);
  }
}

/** The code that `ws` reports if the connection ended without a closing handshake. */
const noCloseFrame = 1006;

/** Close codes that are not errors: normal, going away, without a code, and without a closing handshake. */
const quietCodes: ReadonlySet<number> = new Set([1000, 1001, 1005, noCloseFrame]);

function ignore(): void {}
