// SPDX-License-Identifier: MIT OR Apache-2.0

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSocketServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { BusError } from "./bus-error.ts";
import { dial } from "./dial.ts";
import { localTransportPair } from "./local-transport.ts";
import { unixUrl } from "./socket-path.ts";
import { Inbox } from "./testing/inbox.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";
import type { Transport } from "./transport.ts";

interface Server {
  readonly url: string;
  readonly accepted: Inbox<{ webSocket: WebSocket; request: IncomingMessage }>;
}

/** A server of the `ws` library instead of our own, so that both ends cannot share a mistake. */
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

test("a listener whose backlog is full for a moment is retried, and not taken for a missing one", async () => {
  const path = join(temporaryDirectory(), "bus.sock");
  const http = createServer();
  const webSockets = new WebSocketServer({ server: http, path: "/ws" });
  http.listen({ path, backlog: 1 });
  await once(http, "listening");
  onTestFinished(() => {
    for (const client of webSockets.clients) client.terminate();
    http.close();
  });
  // All of them connect before the event loop accepts one.
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
  test(`over ${kind}, texts of every size arrive unchanged and in order, in both directions`, async () => {
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

  test(`over ${kind}, messages that arrive before listen are held, not lost`, async () => {
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

  test(`over ${kind}, the client requests no extension and no subprotocol`, async () => {
    const server = await webSocketServer(kind);
    heard(await dial(server.url));
    const { webSocket, request } = await server.accepted.next();
    expect(request.headers["sec-websocket-extensions"]).toBeUndefined();
    expect(request.headers["sec-websocket-protocol"]).toBeUndefined();
    expect(request.headers.origin).toBeUndefined();
    expect(webSocket.extensions).toBe("");
  });

  test(`over ${kind}, closing flushes first, then ends without an error on either side`, async () => {
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

  test(`over ${kind}, a broker that closes ends the connection without an error, and so does a killed one`, async () => {
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

  test(`over ${kind}, a refused upgrade is DIAL_FAILED`, async () => {
    const server = await webSocketServer(kind);
    await expect(dial(server.url.replace(/\/ws$/, "/other"))).rejects.toMatchObject({ code: "DIAL_FAILED" });
  });
}

interface ByteServer {
  readonly url: string;
  readonly accepted: Inbox<Socket>;
}

/** A server that answers the request with a text that the test derives from its key, and then sends raw bytes. */
async function byteServer(kind: "unix" | "tcp", answer: (key: string) => string | undefined): Promise<ByteServer> {
  const path = join(temporaryDirectory(), "odd.sock");
  const sockets = new Set<Socket>();
  const accepted: ByteServer["accepted"] = new Inbox();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (request: Buffer) => {
      const answered = answer(/Sec-WebSocket-Key: (.*)\r\n/i.exec(request.toString("latin1"))?.[1] ?? "");
      if (answered !== undefined) socket.write(answered);
      accepted.push(socket);
    });
  });
  server.listen(kind === "unix" ? { path } : { host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const url = kind === "unix" ? unixUrl(path) : `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
  return { url, accepted };
}

const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";

function accepting(key: string): string {
  const proof = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  return `${upgrade}Sec-WebSocket-Accept: ${proof}\r\n`;
}

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9 } as const;

/** Encodes a short frame. `first` holds the bits of its first byte besides the opcode. */
function frame(opcode: number, payload: string | Buffer, first = 0x80): Buffer {
  const bytes = Buffer.from(payload);
  const length = bytes.length < 126 ? [bytes.length] : [126, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.of(first | opcode, ...length), bytes]);
}

/** Encodes a frame header of ten bytes, with a 64-bit length. */
function longHeader(opcode: number, bytes: number, first = 0x80): Buffer {
  const header = Buffer.of(first | opcode, 127, 0, 0, 0, 0, 0, 0, 0, 0);
  header.writeBigUInt64BE(BigInt(bytes), 2);
  return header;
}

const unfinished = (opcode: number, payload: string | Buffer): Buffer => frame(opcode, payload, 0);

/** Reads the code of the short, masked close frame at the end of a client's bytes. */
async function closeCodeFrom(socket: Socket): Promise<number> {
  const chunks: Buffer[] = [];
  for (;;) {
    const bytes = Buffer.concat(chunks);
    const at = bytes.indexOf(Buffer.of(0x80 | opcodes.close));
    if (at >= 0 && bytes.length >= at + 8) {
      const payload = bytes.subarray(at + 6, at + 8).map((byte, index) => byte ^ bytes[at + 2 + index]!);
      return Buffer.from(payload).readUInt16BE();
    }
    chunks.push(((await once(socket, "data")) as [Buffer])[0]);
  }
}

for (const kind of ["unix", "tcp"] as const) {
  const opened = async () => {
    const server = await byteServer(kind, (key) => `${accepting(key)}\r\n`);
    const transport = await dial(server.url);
    return { transport, ...heard(transport), socket: await server.accepted.next() };
  };

  test(`over ${kind}, a protocol error ends the connection with the matching close code`, async () => {
    const over = 8 * 1024 * 1024;
    const cases: [string, Buffer, number][] = [
      ["a reserved bit", frame(opcodes.text, "x", 0xc0), 1002],
      ["a mask", Buffer.of(0x81, 0x81, 1, 2, 3, 4, 5), 1002],
      ["an unknown opcode", frame(3, "x"), 1002],
      ["an unknown control opcode", frame(11, "x"), 1002],
      ["a long ping", frame(opcodes.ping, "x".repeat(126)), 1002],
      ["a ping in pieces", unfinished(opcodes.ping, "x"), 1002],
      ["a continuation of nothing", frame(opcodes.continuation, "x"), 1002],
      ["a message within a message", Buffer.concat([unfinished(opcodes.text, "x"), frame(opcodes.text, "y")]), 1002],
      ["text that is not UTF-8", frame(opcodes.text, Buffer.of(0xff, 0xfe)), 1007],
      ["the header alone of too long a message", longHeader(opcodes.text, over + 1), 1009],
      [
        "the header of a fragment that makes a message too long",
        Buffer.concat([unfinished(opcodes.text, "x"), longHeader(opcodes.continuation, over)]),
        1009,
      ],
    ];
    for (const [what, bytes, code] of cases) {
      const { socket, messages, closed } = await opened();
      socket.write(bytes);
      expect([what, await closeCodeFrom(socket)]).toEqual([what, code]);
      socket.end();
      expect([what, await closed]).toEqual([what, expect.any(Error)]);
      expect(messages.waiting).toEqual([]);
    }
  });

  test(`over ${kind}, fragments are joined however their bytes are split, even with a ping between them or inside a character`, async () => {
    const { socket, messages } = await opened();
    const letter = Buffer.from("é");
    const bytes = Buffer.concat([
      unfinished(opcodes.text, "one "),
      frame(opcodes.ping, "p"),
      unfinished(opcodes.continuation, ""),
      unfinished(opcodes.continuation, letter.subarray(0, 1)),
      frame(opcodes.continuation, letter.subarray(1)),
      frame(opcodes.text, "two"),
    ]);
    for (const byte of bytes) {
      socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([await messages.next(), await messages.next()]).toEqual(["one é", "two"]);
  });

  test(`over ${kind}, each frame is masked, and no two masks are the same`, async () => {
    const { transport, socket } = await opened();
    const count = 200;
    for (let index = 0; index < count; index++) transport.send("");
    let received = Buffer.alloc(0);
    while (received.length < count * 6) {
      received = Buffer.concat([received, ((await once(socket, "data")) as [Buffer])[0]]);
    }
    const frames = Array.from({ length: count }, (_, index) => received.subarray(index * 6, index * 6 + 6));
    expect(frames.every((bytes) => bytes[0] === 0x81 && bytes[1] === 0x80)).toBe(true);
    expect(new Set(frames.map((bytes) => bytes.toString("hex"))).size).toBe(count);
  });

  test(`over ${kind}, before listen the sender is blocked by back-pressure, and afterwards everything is delivered`, async () => {
    const server = await webSocketServer(kind);
    const transport = await dial(server.url);
    const { webSocket } = await server.accepted.next();
    const text = "x".repeat(4 * 1024 * 1024);
    for (let index = 0; index < 8; index++) webSocket.send(text);
    await after(50);
    expect(webSocket.bufferedAmount).toBeGreaterThan(4 * text.length);
    const { messages } = heard(transport);
    for (let index = 0; index < 8; index++) expect((await messages.next()) === text).toBe(true);
    expect(webSocket.bufferedAmount).toBe(0);
  });

  test(`over ${kind}, a binary message is refused over Unix sockets and ignored over TCP`, async () => {
    const { socket, messages, closed } = await opened();
    socket.write(Buffer.concat([frame(opcodes.binary, "x"), frame(opcodes.text, "text")]));
    if (kind === "tcp") {
      expect(await messages.next()).toBe("text");
      return;
    }
    expect(await closeCodeFrom(socket)).toBe(1003);
    socket.end();
    expect(await closed).toBeInstanceOf(Error);
    expect(messages.waiting).toEqual([]);
  });

  test(`over ${kind}, nothing is delivered after the connection was destroyed`, async () => {
    const server = await byteServer(kind, (key) => `${accepting(key)}\r\n`);
    const transport = await dial(server.url);
    const messages: string[] = [];
    const closed = new Promise<void>((resolve) => {
      const message = (text: string): void => {
        messages.push(text);
        transport.destroy();
      };
      transport.listen({ message, close: () => resolve() });
    });
    (await server.accepted.next()).write(Buffer.concat([frame(opcodes.text, "one"), frame(opcodes.text, "two")]));
    await closed;
    expect(messages).toEqual(["one"]);
  });

  test(`over ${kind}, a server that neither answers nor ends the closing handshake does not delay the client's close`, async () => {
    for (const bytes of [undefined, frame(opcodes.close, Buffer.of(3, 233)), frame(3, "x")]) {
      const { transport, socket, closed } = await opened();
      if (bytes === undefined) transport.close();
      else socket.write(bytes);
      const started = performance.now();
      await closed;
      expect(performance.now() - started).toBeLessThan(10_000);
    }
  });

  test(`over ${kind}, the end of the server's stream ends the connection`, async () => {
    const { socket, closed } = await opened();
    socket.end();
    await closed;
  });

  test(`over ${kind}, a handshake that is invalid, too long or unanswered is DIAL_FAILED`, async () => {
    const answers: ((key: string) => string | undefined)[] = [
      () => `${upgrade}Sec-WebSocket-Accept: AAAA\r\n\r\n`,
      () => "HTTP/1.1 200 OK\r\n\r\n",
      () => "HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/ws\r\n\r\n",
      (key) => `${accepting(key).replace("Upgrade: websocket", "Upgrade: other")}\r\n`,
      (key) => `${accepting(key)}Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n`,
      (key) => `${accepting(key)}Sec-WebSocket-Protocol: chat\r\n\r\n`,
      () => "x".repeat(20_000),
      (key) => `${accepting(key)}X: ${"x".repeat(20_000)}\r\n\r\n`,
      () => undefined,
    ];
    for (const answer of answers) {
      const { url } = await byteServer(kind, answer);
      await expect(dial(url, { timeoutMs: 300 })).rejects.toMatchObject({ code: "DIAL_FAILED" });
    }
  });

  test(`over ${kind}, a handshake that arrives byte by byte fails when the whole timeout is over`, async () => {
    const { url, accepted } = await byteServer(kind, () => upgrade);
    const dialled = dial(url, { timeoutMs: 300 });
    const socket = await accepted.next();
    const dripping = setInterval(() => socket.write("x"), 20);
    onTestFinished(() => clearInterval(dripping));
    await expect(dialled).rejects.toMatchObject({
      code: "DIAL_FAILED",
      message: expect.stringContaining("within 300 ms"),
    });
  });
}

test("a refused upgrade is reported with the server's status", async () => {
  const { url } = await byteServer("unix", () => "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
  await expect(dial(url)).rejects.toThrow("the WebSocket upgrade was refused: 503 Service Unavailable");
});

test("a missing listener is DIAL_FAILED, over both kinds of socket", async () => {
  await expect(dial(unixUrl(join(temporaryDirectory(), "none.sock")))).rejects.toMatchObject({ code: "DIAL_FAILED" });
  await expect(dial("ws://127.0.0.1:1/ws")).rejects.toMatchObject({ code: "DIAL_FAILED" });
});

test("an invalid address is refused before dialling", async () => {
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

test("within a process, messages arrive later and in order, and the close comes after them", async () => {
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

test("within a process, the body of a publication arrives as the Buffer that was sent", async () => {
  const [left, right] = localTransportPair();
  const atRight: unknown[] = [];
  const closed = new Promise<unknown>((resolve) => {
    right.listen({ message: (...message) => atRight.push(message), close: resolve });
  });
  const body = Buffer.from("é");
  left.send("a", body);
  left.send("c");
  expect(left.bufferedBytes).toBe(4);
  left.close();
  await closed;
  expect(atRight).toEqual([
    ["a", body],
    ["c", undefined],
  ]);
});

test("within a process, both ends are told of the close exactly once, whoever closes", async () => {
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

test("a dial failure is a BusError with its cause", async () => {
  const error: unknown = await dial(unixUrl("/nonexistent/bus.sock")).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BusError);
  expect((error as BusError).cause).toMatchObject({ code: "ENOENT" });
});
