// SPDX-License-Identifier: MIT OR Apache-2.0

import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { BusClient } from "../bus-client.ts";
import { removeStaleSocket } from "../embedded-socket.ts";
import { unixUrl } from "../socket-path.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { testBroker } from "../testing/test-broker.ts";
import { createBroker, listenReplacingStale, keepSocketInPlace } from "./index.ts";

function ownBroker(options = {}) {
  const broker = createBroker(options);
  onTestFinished(() => broker.close());
  return broker;
}

/** Sends the lines of an upgrade unchanged and returns the status line of the response. */
async function upgradeStatus(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const rest = [
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
  ];
  socket.write(`${[...lines, ...rest].join("\r\n")}\r\n\r\n`);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return chunk
    .toString("latin1")
    .split("\r\n", 1)[0]!
    .slice("HTTP/1.1 ".length, "HTTP/1.1 ".length + 3);
}

test("the socket and its directory are private, and the socket is removed on close", async () => {
  const path = join(temporaryDirectory(), "mixos", "bus.sock");
  const mask = process.umask(0);
  onTestFinished(() => void process.umask(mask));
  const broker = ownBroker();
  await broker.listenUnix(path);
  expect(process.umask()).toBe(0);
  expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  expect((statSync(join(path, "..")).mode & 0o777).toString(8)).toBe("700");
  await broker.close();
  expect(existsSync(path)).toBe(false);
});

test("a directory that is open to others, a link, a file, or another user's is refused", async () => {
  const parent = temporaryDirectory();
  mkdirSync(join(parent, "open"), { mode: 0o700 });
  chmodSync(join(parent, "open"), 0o710);
  mkdirSync(join(parent, "own"), { mode: 0o700 });
  symlinkSync(join(parent, "own"), join(parent, "link"));
  writeFileSync(join(parent, "file"), "");
  for (const name of ["open", "link", "file"]) {
    await expect(ownBroker().listenUnix(join(parent, name, "bus.sock"))).rejects.toMatchObject({
      code: "DIRECTORY_REFUSED",
    });
  }
  const other = ownBroker({ uid: 12_345 });
  await expect(other.listenUnix(join(parent, "own", "bus.sock"))).rejects.toMatchObject({ code: "DIRECTORY_REFUSED" });
});

test("a path of more than 107 bytes is refused, and no file of a shorter name appears", async () => {
  const directory = temporaryDirectory();
  const name = "x".repeat(108 - Buffer.byteLength(directory));
  await expect(ownBroker().listenUnix(join(directory, name))).rejects.toMatchObject({ code: "PATH_TOO_LONG" });
  expect(existsSync(join(directory, name.slice(0, -1)))).toBe(false);
});

test("an address with a live listener is in use, and its socket is not removed", async () => {
  const path = join(temporaryDirectory(), "bus.sock");
  await ownBroker().listenUnix(path);
  await expect(ownBroker().listenUnix(path)).rejects.toMatchObject({ code: "ADDRESS_IN_USE" });
  expect(await removeStaleSocket(path)).toBe("live");
});

test("over TCP only a loopback Host without Origin may upgrade", async () => {
  const bus = await testBroker();
  const port = Number(new URL(bus.tcpUrl).port);
  const good = ["GET /ws HTTP/1.1", `Host: 127.0.0.1:${port}`];
  expect(await upgradeStatus(port, good)).toBe("101");
  for (const host of ["localhost", "LOCALHOST:80", "[::1]:4200", "127.1.2.3"]) {
    expect([host, await upgradeStatus(port, ["GET /ws HTTP/1.1", `Host: ${host}`])]).toEqual([host, "101"]);
  }
  for (const origin of ["http://localhost", "null", "", "https://evil.example"]) {
    expect([origin, await upgradeStatus(port, [...good, `Origin: ${origin}`])]).toEqual([origin, "403"]);
  }
  for (const host of [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1@evil",
    "",
    "0.0.0.0",
    "10.0.0.1",
  ]) {
    expect([host, await upgradeStatus(port, ["GET /ws HTTP/1.1", `Host: ${host}`])]).toEqual([host, "403"]);
  }
  expect(await upgradeStatus(port, [...good, "Host: evil.example"])).toBe("403");
  expect(await upgradeStatus(port, [...good, "host: localhost"])).toBe("403");
  expect(["400", "403"]).toContain(await upgradeStatus(port, ["GET /ws HTTP/1.1"]));
  expect(await upgradeStatus(port, [`GET http://evil.example/ws HTTP/1.1`, "Host: localhost"])).toBe("400");
  expect(await upgradeStatus(port, ["GET /other HTTP/1.1", "Host: localhost"])).toBe("404");
});

test("a plain HTTP request is refused, and the number of connections is limited", async () => {
  const bus = await testBroker({ limits: { connectionsMax: 1 } });
  const response = await fetch(bus.tcpUrl.replace("ws:", "http:"));
  expect(response.status).toBe(426);
  await response.text();
  await bus.peer();
  await expect(bus.peer()).rejects.toMatchObject({ code: "DIAL_FAILED" });
});

test("a binary frame is ignored over TCP and ends a connection over Unix; a ping is answered", async () => {
  const bus = await testBroker();
  const tcp = new WebSocket(bus.tcpUrl);
  onTestFinished(() => tcp.terminate());
  await once(tcp, "open");
  tcp.send(Buffer.from("---\ncommand: noded.ping\nid: b\n---\n"), { binary: true });
  tcp.ping("hello");
  expect(String((await once(tcp, "pong"))[0])).toBe("hello");
  tcp.send("---\ncommand: noded.ping\nid: t\n---\n");
  expect(String((await once(tcp, "message"))[0])).toContain("\nid: t\n");
  const unix = new WebSocket(bus.unixUrl);
  onTestFinished(() => unix.terminate());
  await once(unix, "open");
  unix.send(Buffer.from("x"), { binary: true });
  await once(unix, "close");
});

test("a frame over 8 MiB ends its connection and no other", async () => {
  const bus = await testBroker();
  const other = await bus.peer();
  const big = new WebSocket(bus.unixUrl);
  onTestFinished(() => big.terminate());
  await once(big, "open");
  big.on("error", () => {});
  big.send("x".repeat(8 * 1024 * 1024 + 1));
  const [code] = (await once(big, "close")) as [number];
  expect([1006, 1009]).toContain(code);
  expect((await other.ask({ command: "noded.ping" })).headers["rc"]).toBe("0");
});

test("closing the broker ends every connection, and it takes no new one", async () => {
  const bus = await testBroker();
  const peers = [await bus.peer("unix"), await bus.peer("tcp"), await bus.peer("local")];
  await bus.broker.close();
  expect(await Promise.all(peers.map(({ closed }) => closed))).toEqual([undefined, undefined, undefined]);
  expect(() => bus.broker.connectLocal()).toThrow("closed");
  await expect(bus.broker.listenTcp(0)).rejects.toMatchObject({ code: "STOPPED" });
});

test("a socket whose directory was removed is recreated at the next check, and open connections stay", async () => {
  const path = join(temporaryDirectory(), "mixos", "bus.sock");
  const broker = ownBroker();
  const clock = new ManualClock();
  expect(await listenReplacingStale(broker, path)).toBe(true);
  const before = new BusClient({ url: unixUrl(path) });
  onTestFinished(() => before.stop());
  await before.connect();
  const renewed = new Promise<void>((resolve) => {
    const stop = keepSocketInPlace(broker, path, { clock, onRestored: resolve, onReplaced: fail, onFault: fail });
    onTestFinished(stop);
  });
  clock.advance(2_000);
  rmSync(join(path, ".."), { recursive: true });
  clock.advance(2_000);
  await renewed;
  expect((statSync(join(path, "..")).mode & 0o777).toString(8)).toBe("700");
  const after = new BusClient({ url: unixUrl(path) });
  onTestFinished(() => after.stop());
  await after.connect();
  for (const client of [before, after]) {
    expect(await client.call("noded", "noded.ping", {})).toMatchObject({ rc: 0 });
    expect(client.generation).toBe(1);
  }
});

test("a directory that cannot be created is reported once and retried", async () => {
  const parent = temporaryDirectory();
  const path = join(parent, "mixos", "bus.sock");
  const broker = ownBroker();
  const clock = new ManualClock();
  await listenReplacingStale(broker, path);
  let faults = 0;
  let next = (): void => {};
  const settled = (): Promise<void> => new Promise((resolve) => (next = resolve));
  const stop = keepSocketInPlace(broker, path, {
    clock: { after: (ms, run) => (next(), clock.after(ms, run)) },
    onRestored: () => next(),
    onReplaced: fail,
    onFault: () => (faults += 1),
  });
  onTestFinished(stop);
  rmSync(join(parent, "mixos"), { recursive: true });
  writeFileSync(join(parent, "mixos"), "");
  for (let look = 0; look < 2; look += 1) {
    const over = settled();
    clock.advance(2_000);
    await over;
  }
  expect(faults).toBe(1);
  rmSync(join(parent, "mixos"));
  const over = settled();
  clock.advance(2_000);
  await over;
  expect(broker.isInPlace(path)).toBe(true);
});

test("a socket that another broker has taken is left to it", async () => {
  const path = join(temporaryDirectory(), "mixos", "bus.sock");
  const [broker, other] = [ownBroker(), ownBroker()];
  const clock = new ManualClock();
  await listenReplacingStale(broker, path);
  renameSync(path, `${path}.gone`);
  await listenReplacingStale(other, path);
  const taken = new Promise<void>((resolve) => {
    onTestFinished(keepSocketInPlace(broker, path, { clock, onRestored: fail, onReplaced: resolve, onFault: fail }));
  });
  clock.advance(2_000);
  await taken;
  await broker.close();
  expect(other.isInPlace(path)).toBe(true);
  const client = new BusClient({ url: unixUrl(path) });
  onTestFinished(() => client.stop());
  await client.connect();
});

function fail(): never {
  throw new Error("this was not to happen");
}
