// SPDX-License-Identifier: MIT OR Apache-2.0

import { createConnection } from "node:net";
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { BusError, asBusError } from "./bus-error.ts";
import { corkPerTick } from "./cork-per-tick.ts";
import { joined } from "./pieces.ts";
import type { Pieces } from "./pieces.ts";
import { closeTimeoutMs } from "./transport.ts";
import type { Transport, TransportListener } from "./transport.ts";
import { frameBytesMax } from "./wire.ts";

/** A WebSocket over TCP, by the `ws` library. Rejects with BusError DIAL_FAILED. */
export function dialTcp(url: string, timeoutMs: number): Promise<Transport> {
  const { hostname, port } = new URL(url);
  const socket = createConnection({
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || 80),
    noDelay: true,
  });
  const webSocket = new WebSocket(url, {
    createConnection: () => socket,
    perMessageDeflate: false,
    maxPayload: frameBytesMax,
    handshakeTimeout: timeoutMs,
    followRedirects: false,
  });
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      socket.destroy();
      // A late error of a socket that is given up must not end the process.
      webSocket.on("error", () => {});
      reject(asBusError(error, "DIAL_FAILED"));
    };
    webSocket.once("error", failed);
    webSocket.once("open", () => {
      webSocket.off("error", failed);
      webSocket.pause();
      resolve(new TcpTransport(webSocket, socket));
    });
  });
}

class TcpTransport implements Transport {
  readonly kind = "tcp";
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #corkThisTick: () => void;
  #fault: Error | undefined;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(webSocket: WebSocket, socket: Socket) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#corkThisTick = corkPerTick(socket);
    webSocket.on("error", (error) => (this.#fault ??= error));
  }

  get bufferedBytes(): number {
    return this.#webSocket.bufferedAmount;
  }

  send(text: string, rest: Pieces = []): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    this.#corkThisTick();
    this.#webSocket.send(rest.length === 0 ? text : joined([text, ...rest]));
  }

  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  listen(listener: TransportListener): void {
    this.#webSocket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) listener.message(data.toString("utf8"));
    });
    const closed = (code: number): void => {
      clearTimeout(this.#closeTimer);
      if (code !== 1000 && code !== 1001 && code !== 1005) {
        this.#fault ??= new BusError("CONNECTION_LOST", `the connection closed with WebSocket code ${code}`);
      }
      listener.close(this.#fault);
    };
    if (this.#webSocket.readyState === WebSocket.CLOSED) {
      setImmediate(() => closed(1006));
      return;
    }
    this.#webSocket.on("close", closed);
    this.#webSocket.resume();
  }

  close(): void {
    this.#webSocket.close(1000);
    this.#closeTimer ??= setTimeout(() => this.#webSocket.terminate(), closeTimeoutMs);
  }

  destroy(): void {
    this.#webSocket.terminate();
  }
}
