// SPDX-License-Identifier: MIT OR Apache-2.0

import { chmod } from "node:fs/promises";
import { createServer, type Server, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { trackFiles } from "../../files/tracked-files.ts";
import { BusError } from "../bus-error.ts";
import { prepareSocketDirectory } from "../embedded-socket.ts";
import { checkUnixPath } from "../socket-path.ts";
import { frameBytesMax } from "../wire.ts";

export interface Listener {
  readonly port: number | undefined;
  /** False if the file of a Unix socket was removed or replaced, so that the listener cannot be reached. */
  isInPlace(): boolean;
  /** Stops accepting; open connections stay. Removes a Unix socket's file, unless it was replaced by another. */
  close(): Promise<void>;
}

export interface Accept {
  (webSocket: WebSocket, socket: Socket): void;
  /** Returns false if the broker has no room for another connection. */
  readonly hasRoom: () => boolean;
  readonly refused: (reason: string) => void;
}

/**
 * Listens on a Unix socket of mode 0600 in a directory of mode 0700, which is created if missing. Throws BusError
 * PATH_TOO_LONG, DIRECTORY_REFUSED, ADDRESS_IN_USE (also for the file of a killed process) or LISTEN_FAILED.
 */
export async function listenUnix(path: string, uid: number, accept: Accept): Promise<Listener> {
  checkUnixPath(path);
  prepareSocketDirectory(path, uid);
  const server = upgradingServer("unix", accept);
  // listen() creates the file synchronously, so the umask applies and no other mode is ever visible.
  const listening = untilListening(server, path);
  const mask = process.umask(0o177);
  server.listen({ path });
  process.umask(mask);
  await listening;
  await chmod(path, 0o600);
  const socketFile = trackFiles([path]);
  return {
    port: undefined,
    isInPlace: () => socketFile.changed().length === 0,
    close() {
      if (socketFile.changed()[0]?.now !== "another") return closeServer(server);
      // Closing would remove the other's file by its name. This listener cannot be reached, and must not keep the process alive.
      server.unref();
      return Promise.resolve();
    },
  };
}

/** Listens on 127.0.0.1; port 0 chooses a free one. Throws BusError ADDRESS_IN_USE or LISTEN_FAILED. */
export async function listenTcp(port: number, accept: Accept): Promise<Listener> {
  const server = upgradingServer("tcp", accept);
  const listening = untilListening(server, `port ${port}`);
  server.listen({ host: "127.0.0.1", port });
  await listening;
  const { port: taken } = server.address() as AddressInfo;
  return { port: taken, isInPlace: () => true, close: () => closeServer(server) };
}

function upgradingServer(kind: "unix" | "tcp", accept: Accept): Server {
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: frameBytesMax,
    autoPong: false,
  });
  const server = createServer((_request, response) => {
    response.writeHead(426, { Connection: "close", "Content-Type": "text/plain" });
    response.end("The MixOS Bus speaks WebSocket.\n");
  });
  server.maxConnections = socketsMax;
  server.on("upgrade", (request, socket: Duplex, head) => {
    // Until the upgrade has finished, no other listener handles errors of the socket.
    socket.on("error", ignore);
    const refusal = upgradeRefusal(request, kind) ?? (accept.hasRoom() ? undefined : busy);
    if (refusal !== undefined) {
      accept.refused(refusal.reason);
      refuse(socket, refusal);
      return;
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, socket as Socket));
  });
  return server;
}

/** The maximum number of sockets of one listener, including those that have not upgraded yet. */
const socketsMax = 1_024;

const busy = { status: "503 Service Unavailable", reason: "too many connections" };

function refuse(socket: Duplex, { status, reason }: { readonly status: string; readonly reason: string }): void {
  const body = `${reason}\n`;
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

function untilListening(server: Server, where: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("listening", () => resolve());
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const code = cause.code === "EADDRINUSE" ? "ADDRESS_IN_USE" : "LISTEN_FAILED";
      reject(new BusError(code, `cannot listen on ${where}: ${cause.message}`, { cause }));
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function ignore(): void {}

interface UpgradeRefusal {
  readonly status: string;
  readonly reason: string;
}

/**
 * Returns why a WebSocket upgrade is refused, or undefined. Over TCP a web page in the user's browser could reach the
 * broker. A browser always sends `Origin`, and after DNS rebinding sends the page's own name as `Host`, so any `Origin`
 * and any `Host` but a loopback name are refused. Node keeps the first of two `Host` headers, so they are counted.
 */
function upgradeRefusal(request: IncomingMessage, kind: "unix" | "tcp"): UpgradeRefusal | undefined {
  const target = request.url ?? "";
  if (kind === "tcp") {
    const hosts = headerValues(request, "host");
    if (headerValues(request, "origin").length > 0) return forbidden("web pages may not connect to the Bus");
    if (hosts.length !== 1 || !isLoopback(hosts[0]!)) return forbidden("the Host header is not a loopback name");
  }
  if (!target.startsWith("/") || target.includes("://"))
    return { status: "400 Bad Request", reason: "not a plain path" };
  if (target.split("?", 1)[0] !== "/ws") return { status: "404 Not Found", reason: "the Bus is at /ws" };
  return undefined;
}

function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name);
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

function isLoopback(host: string): boolean {
  return loopback.test(host);
}

function forbidden(reason: string): UpgradeRefusal {
  return { status: "403 Forbidden", reason };
}
