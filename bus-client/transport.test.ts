// SPDX-License-Identifier: MIT OR Apache-2.0

import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { createServer as createSocketServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { BusError } from "./bus-error.ts";
import { dial } from "./dial.ts";
import { localTransportPair } from "./local-transport.ts";
import type { Pieces } from "./pieces.ts";
import { unixUrl } from "./socket-path.ts";
import { Inbox } from "./testing/inbox.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";
import type { Transport } from "./transport.ts";

interface Server {
  readonly url: string;
  readonly accepted: Inbox<{ webSocket: WebSocket; request: IncomingMessage }>;
}

/** The `ws` library's own server: not ours, so that both ends cannot share one mistake. */
async function webSocketServer(kind: "unix" | "tcp"): Promise<Server> {
  const path = join(temporaryDirectory(), "bus.sock");
  const http = createServer();
  const webSockets = new WebSocketServer({ server: http, path: "/ws", perMessageDeflate: true });
  const accepted: Server["accepted"] = new Inbox();
  webSockets.on("connection", (webSocket, request) => accepted.push({ webSocket, request }));
  http.listen(kind === "unix" ? { path } : { host: "127.0.0.1", port: 0 });
  await once(http, "listening");
  onTestFinished(async () => {
    for (const client of webSockets.clients) client.terminate();
    webSockets.close();
    http.close();
    await once(http, "close");
  });
  return {
    url: kind === "unix" ? unixUrl(path) : `ws://127.0.0.1:${(http.address() as AddressInfo).port}/ws`,
    accepted,
  };
}

test("a listener whose queue is full for a moment is tried again, and is not taken for none", async () => {
  const path = join(temporaryDirectory(), "bus.sock");
  const http = createServer();
  const webSockets = new WebSocketServer({ server: http, path: "/ws" });
  http.listen({ path, backlog: 1 });
  await once(http, "listening");
  onTestFinished(() => {
    for (const client of webSockets.clients) client.terminate();
    http.close();
  });
  // All of them connect before the event loop comes to accept one.
  const transports = await Promise.all(Array.from({ length: 8 }, () => dial(unixUrl(path))));
  for (const transport of transports) transport.destroy();
  expect(transports.map(({ kind }) => kind)).toEqual(Array(8).fill("unix"));
});

function heard(transport: Transport): { messages: Inbox<string>; closed: Promise<Error | undefined> } {
  onTestFinished(() => transport.destroy());
  const messages = new Inbox<string>();
  return { messages, closed: new Promise((resolve) => transport.listen({ message: messages.push, close: resolve })) };
}

for (const kind of ["unix", "tcp"] as const) {
  test(`over ${kind}, texts of every size pass both ways unchanged and in order`, async () => {
    const server = await webSocketServer(kind);
    const transport = await dial(server.url);
    const { webSocket } = await server.accepted.next();
    webSocket.on("message", (data: Buffer, isBinary) => webSocket.send(isBinary ? "binary!" : data.toString()));
    const { messages } = heard(transport);
    for (const length of [0, 1, 125, 126, 65_535, 65_536, 3_000_000]) {
      const text = "ü".repeat(length >> 1) + "x".repeat(length & 1);
      transport.send(text);
      expect((await messages.next()) === text).toBe(true);
    }
    const many = Array.from({ length: 500 }, (_, index) => `message ${index}`);
    for (const text of many) transport.send(text);
    for (const text of many) expect(await messages.next()).toBe(text);
  });

  test(`over ${kind}, what came before anybody listened is held, not lost`, async () => {
    const server = await webSocketServer(kind);
    const dialled = dial(server.url);
    const { webSocket } = await server.accepted.next();
    webSocket.send("early");
    webSocket.send("bird");
    const { messages } = heard(await dialled);
    expect([await messages.next(), await messages.next()]).toEqual(["early", "bird"]);
  });

  test(`over ${kind}, fragments are joined and pings answered`, async () => {
    const server = await webSocketServer(kind);
    const { messages } = heard(await dial(server.url));
    const { webSocket } = await server.accepted.next();
    webSocket.ping("are you there?");
    const [payload] = (await once(webSocket, "pong")) as [Buffer];
    expect(payload.toString()).toBe("are you there?");
    webSocket.send("one ", { fin: false });
    webSocket.send("two ", { fin: false });
    webSocket.send("three", { fin: true });
    expect(await messages.next()).toBe("one two three");
  });

  test(`over ${kind}, no extension and no sub-protocol are asked for`, async () => {
    const server = await webSocketServer(kind);
    heard(await dial(server.url));
    const { webSocket, request } = await server.accepted.next();
    expect(request.headers["sec-websocket-extensions"]).toBeUndefined();
    expect(request.headers["sec-websocket-protocol"]).toBeUndefined();
    expect(request.headers.origin).toBeUndefined();
    expect(webSocket.extensions).toBe("");
  });

  test(`over ${kind}, closing sends what was written, then ends without a fault on either side`, async () => {
    const server = await webSocketServer(kind);
    const transport = await dial(server.url);
    const { closed } = heard(transport);
    const { webSocket } = await server.accepted.next();
    const got = new Inbox<string>();
    webSocket.on("message", (data: Buffer) => got.push(data.toString()));
    const serverClosed = once(webSocket, "close");
    transport.send("last words");
    transport.close();
    transport.send("too late");
    expect(await closed).toBeUndefined();
    expect((await serverClosed)[0]).toBe(1000);
    expect(await got.next()).toBe("last words");
    expect(got.waiting).toEqual([]);
  });

  test(`over ${kind}, a broker that goes away is an end without a fault, and a killed one is an end too`, async () => {
    const server = await webSocketServer(kind);
    const polite = heard(await dial(server.url));
    (await server.accepted.next()).webSocket.close(1001);
    expect(await polite.closed).toBeUndefined();
    const transport = await dial(server.url);
    const rude = heard(transport);
    (await server.accepted.next()).webSocket.terminate();
    await rude.closed;
    transport.send("into the void");
    transport.close();
  });

  test(`over ${kind}, a message of more than 8 MiB ends the connection with code 1009`, async () => {
    const server = await webSocketServer(kind);
    const { messages, closed } = heard(await dial(server.url));
    const { webSocket } = await server.accepted.next();
    webSocket.on("error", () => {});
    webSocket.send("x".repeat(8 * 1024 * 1024));
    expect((await messages.next()).length).toBe(8 * 1024 * 1024);
    const serverClosed = once(webSocket, "close");
    webSocket.send("x".repeat(8 * 1024 * 1024 + 1));
    expect(await closed).toBeInstanceOf(Error);
    expect((await serverClosed)[0]).toBe(1009);
    expect(messages.waiting).toEqual([]);
  });

  test(`over ${kind}, an upgrade that is refused is DIAL_FAILED`, async () => {
    const server = await webSocketServer(kind);
    await expect(dial(server.url.replace(/\/ws$/, "/other"))).rejects.toMatchObject({ code: "DIAL_FAILED" });
  });
}

/** A server that reads the request and answers with whatever the test says. */
async function oddServer(answer: string | undefined): Promise<string> {
  const path = join(temporaryDirectory(), "odd.sock");
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => answer !== undefined && socket.write(answer));
  });
  server.listen(path);
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return unixUrl(path);
}

test("a handshake that proves nothing, says something else, never ends or never comes is DIAL_FAILED", async () => {
  const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  const answers = [
    `${upgrade}Sec-WebSocket-Accept: AAAA\r\n\r\n`,
    "HTTP/1.1 200 OK\r\n\r\n",
    "x".repeat(20_000),
    undefined,
  ];
  for (const answer of answers) {
    const url = await oddServer(answer);
    await expect(dial(url, { timeoutMs: 200 })).rejects.toMatchObject({ code: "DIAL_FAILED" });
  }
});

test("nobody there is DIAL_FAILED, over both kinds of socket", async () => {
  await expect(dial(unixUrl(join(temporaryDirectory(), "none.sock")))).rejects.toMatchObject({ code: "DIAL_FAILED" });
  await expect(dial("ws://127.0.0.1:1/ws")).rejects.toMatchObject({ code: "DIAL_FAILED" });
});

test("an address that is none is refused before anything is dialled", async () => {
  for (const url of [
    "http://localhost/ws",
    "wss://localhost/ws",
    "localhost:4200",
    "ws://u:p@localhost/ws",
    "ws+unix:x",
  ]) {
    await expect(dial(url)).rejects.toMatchObject({ code: "URL_INVALID" });
  }
});

test("a Unix path of 107 bytes is dialled, one of 108 is PATH_TOO_LONG and no shorter file is touched", async () => {
  await expect(dial(unixUrl(`/${"é".repeat(53)}`))).rejects.toMatchObject({ code: "DIAL_FAILED" });
  await expect(dial(unixUrl(`/${"é".repeat(53)}x`))).rejects.toMatchObject({ code: "PATH_TOO_LONG" });
});

test("within a process, messages arrive later, in order, and an end comes after them", async () => {
  const [left, right] = localTransportPair();
  const atRight: string[] = [];
  const closed = new Promise<Error | undefined>((resolve) => {
    right.listen({ message: (text) => atRight.push(text), close: resolve });
  });
  left.listen({ message: () => {}, close: () => {} });
  for (let index = 0; index < 100; index++) left.send(String(index));
  expect(atRight).toEqual([]);
  expect(left.queuedMessages).toBe(100);
  left.close();
  left.send("too late");
  expect(await closed).toBeUndefined();
  expect(atRight).toEqual(Array.from({ length: 100 }, (_, index) => String(index)));
  expect(left.queuedMessages).toBe(0);
});

test("within a process, a message in pieces comes so to who takes pieces, and joined to who does not", async () => {
  const [left, right] = localTransportPair();
  const atRight: unknown[] = [];
  const atLeft: unknown[] = [];
  const rightClosed = new Promise<unknown>((resolve) => {
    const pieces = (text: string, rest: Pieces) => atRight.push([text, rest]);
    right.listen({ message: (text) => atRight.push(text), pieces, close: resolve });
  });
  const leftClosed = new Promise<unknown>((resolve) => {
    left.listen({ message: (text) => atLeft.push(text), close: resolve });
  });
  const rest = [Buffer.from("é"), "b"];
  left.send("a", rest);
  left.send("c", []);
  expect(left.bufferedBytes).toBe(5);
  right.send("a", rest);
  right.close();
  await Promise.all([leftClosed, rightClosed]);
  expect(atRight).toEqual([["a", rest], "c"]);
  expect(atLeft).toEqual(["aéb"]);
});

test("within a process, both ends hear of the end, whoever closes, and only once", async () => {
  const [left, right] = localTransportPair();
  const ends: string[] = [];
  const both = new Promise<void>((resolve) => {
    const ended = (side: string) => (): void => {
      if (ends.push(side) === 2) resolve();
    };
    left.listen({ message: () => {}, close: ended("left") });
    right.listen({ message: () => {}, close: ended("right") });
  });
  right.destroy();
  left.close();
  await both;
  expect(ends.sort()).toEqual(["left", "right"]);
});

test("a failure to dial is this package's own error with its cause", async () => {
  const error: unknown = await dial(unixUrl("/nonexistent/bus.sock")).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BusError);
  expect((error as BusError).cause).toMatchObject({ code: "ENOENT" });
});
