// SPDX-License-Identifier: MIT OR Apache-2.0

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createBroker } from "./broker/index.ts";
import { BusError } from "./bus-error.ts";
import { discoverAndDial, discoverBus, readNodeConfig, type Surroundings } from "./discovery.ts";
import { embeddedSocketPath, removeStaleSocket } from "./embedded-socket.ts";
import { unixUrl } from "./socket-path.ts";
import { listenerUids } from "./tcp-listeners.ts";
import { staleSocket } from "./testing/stale-socket.ts";
import { Inbox } from "./testing/inbox.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

const uid = process.getuid!();

/** Uses only /proc of the real machine, and port 1, on which nothing listens. */
function surroundings(more: Partial<Surroundings> = {}): Surroundings & { readonly base: string } {
  const base = temporaryDirectory();
  const paths = { home: join(base, "home"), etc: join(base, "etc"), temporaryDirectory: join(base, "tmp") };
  mkdirSync(paths.temporaryDirectory);
  return { env: {}, uid, tcpPort: 1, base, ...paths, ...more };
}

function written(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const config = (port: number): string => JSON.stringify({ noded: { port } });

test("an address in the environment takes precedence, and an invalid one is an error", async () => {
  const around = surroundings();
  const file = written(join(around.base, "c.mix"), config(1));
  const env = { MIXOS_NODED_URL: "ws://10.0.0.1:1/ws", MIXOS_NODE_CONFIG: file };
  expect(await discoverBus({ ...around, env })).toEqual({
    found: "environment",
    url: "ws://10.0.0.1:1/ws",
    warnings: [],
  });
  await expect(discoverBus({ ...around, env: { MIXOS_NODED_URL: "nonsense" } })).rejects.toMatchObject({
    code: "URL_INVALID",
  });
  const unset = await discoverBus({ ...around, env: { MIXOS_NODED_URL: "" } });
  expect(unset.found).toBe("none");
});

test("a pipe or a device in the place of the file is not waited for, and reported", async () => {
  const around = surroundings();
  const pipe = join(around.base, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const file of [pipe, "/dev/zero"]) {
    const { found, warnings } = await discoverBus({ ...around, env: { MIXOS_NODE_CONFIG: file } });
    expect([found, warnings]).toEqual(["none", [`${file}: cannot be read: it is not a regular file`]]);
  }
});

test("files are read in order, and none after MIXOS_ETC if it is set", async () => {
  const around = surroundings();
  const named = written(join(around.base, "named.mix"), config(1001));
  const etc = join(around.base, "mixos-etc");
  written(join(etc, "node.conf.mix"), config(1002));
  const xdg = join(around.base, "xdg");
  written(join(xdg, "mixos", "node.conf.mix"), config(1003));
  written(join(around.home, ".config", "mixos", "node.conf.mix"), config(1004));
  written(join(around.etc!, "mixos", "node.conf.mix"), config(1005));
  const portOf = async (env: Record<string, string>, home = around.home): Promise<string> => {
    const location = await discoverBus({ ...around, home, env });
    return location.found === "config" ? new URL(location.url).port : location.found;
  };
  expect(await portOf({ MIXOS_NODE_CONFIG: named, MIXOS_ETC: etc, XDG_CONFIG_HOME: xdg })).toBe("1001");
  written(join(etc, "node.conf.mix"), `\ufeff${config(1002)}`);
  expect(await portOf({ MIXOS_ETC: etc, XDG_CONFIG_HOME: xdg })).toBe("1002");
  expect(await portOf({ XDG_CONFIG_HOME: xdg })).toBe("1003");
  expect(await portOf({})).toBe("1004");
  expect(await portOf({}, "/nonexistent")).toBe("1005");
  expect(await portOf({ MIXOS_ETC: join(around.base, "empty"), XDG_CONFIG_HOME: xdg })).toBe("none");
});

test("an invalid file is skipped with a warning that names it", async () => {
  const around = surroundings();
  const named = written(join(around.base, "named.mix"), "{ noded: { port: 70000 } }");
  written(join(around.home, ".config", "mixos", "node.conf.mix"), "not data");
  written(join(around.etc!, "mixos", "node.conf.mix"), "{}");
  const location = await discoverBus({ ...around, env: { MIXOS_NODE_CONFIG: named } });
  expect(location).toMatchObject({ found: "config", url: "ws://127.0.0.1:4200/ws" });
  expect(location.warnings).toEqual([
    `${named}: noded.port is not a port`,
    expect.stringContaining("node.conf.mix: is not strict data"),
  ]);
  const missing = await discoverBus({ ...surroundings(), env: { MIXOS_NODE_CONFIG: "/nonexistent/c" } });
  expect(missing.warnings).toEqual([expect.stringContaining("/nonexistent/c: cannot be read")]);
});

test("a node's file may have unquoted keys, comments and a trailing comma, but no other extensions of JSON", () => {
  expect(
    readNodeConfig('# node\n{ wg_ip: "10.1.2.3", // mesh\n  "noded": { port: 4201, }, other: ["a: b # c", "// d"], }'),
  ).toEqual({
    url: "ws://10.1.2.3:4201/ws",
  });
  expect(readNodeConfig('{"wg_ip":"fd00::1"}')).toEqual({ url: "ws://[fd00::1]:4200/ws" });
  for (const text of [
    "",
    "[]",
    "null",
    '{"wg_ip":"evil.example"}',
    '{"wg_ip":1}',
    '{"noded":[]}',
    '{"noded":{"port":"1"}}',
    '{"noded":{"port":0}}',
    "{port}",
  ]) {
    expect(readNodeConfig(text)).toHaveProperty("problem");
  }
});

test("the embedded broker is found by its socket if the directory is private and something listens", async () => {
  const runtime = temporaryDirectory();
  const around = surroundings({ env: { XDG_RUNTIME_DIR: runtime } });
  const path = embeddedSocketPath(around);
  expect(path).toBe(join(runtime, "mixos", "bus.sock"));
  expect(await discoverBus(around)).toEqual({ found: "none", warnings: [] });
  const broker = createBroker();
  onTestFinished(() => broker.close());
  await broker.listenUnix(path);
  expect(await discoverBus(around)).toEqual({ found: "embedded", url: unixUrl(path), path, warnings: [] });
  chmodSync(dirname(path), 0o755);
  const open = await discoverBus(around);
  expect(open).toMatchObject({
    found: "none",
    warnings: [expect.stringContaining("is open to others (mode 755, not 700)")],
  });
  chmodSync(dirname(path), 0o700);
  const stranger = await discoverBus({ ...around, uid: uid + 1 });
  expect(stranger).toMatchObject({ found: "none", warnings: [expect.stringContaining(`belongs to uid ${uid}`)] });
});

test("if the runtime directory is unset, relative or too long, the socket is in a directory named by uid", () => {
  const fallback = "/tmp/mixos-1000/bus.sock";
  for (const runtime of [undefined, "", "relative/run", `/run/${"x".repeat(100)}`]) {
    expect(embeddedSocketPath({ env: { XDG_RUNTIME_DIR: runtime, TMPDIR: "/elsewhere" }, uid: 1000 })).toBe(fallback);
  }
  const longest = `/${"x".repeat(107 - "/mixos/bus.sock".length - 1)}`;
  expect(embeddedSocketPath({ env: { XDG_RUNTIME_DIR: longest }, uid: 1000 })).toBe(`${longest}/mixos/bus.sock`);
  expect(embeddedSocketPath({ env: { XDG_RUNTIME_DIR: `${longest}x` }, uid: 1000 })).toBe(fallback);
});

test("a stale socket is not taken for the Bus and can be removed, and a regular file is left alone", async () => {
  const runtime = temporaryDirectory();
  const around = surroundings({ env: { XDG_RUNTIME_DIR: runtime } });
  const path = embeddedSocketPath(around);
  expect(await removeStaleSocket(path)).toBe("absent");
  await staleSocket(path);
  expect((await discoverBus(around)).found).toBe("none");
  expect(await removeStaleSocket(path)).toBe("removed");
  expect(await removeStaleSocket(path)).toBe("absent");
  writeFileSync(path, "precious");
  expect(await removeStaleSocket(path)).toBe("live");
});

test("discoverAndDial finds the same, and returns an open connection to the embedded broker", async () => {
  const around = surroundings({ env: { XDG_RUNTIME_DIR: temporaryDirectory() } });
  const path = embeddedSocketPath(around);
  const nothing = { location: { found: "none", warnings: [] }, dialled: undefined };
  expect(await discoverAndDial(around)).toEqual(nothing);
  await staleSocket(path);
  expect(await discoverAndDial(around)).toEqual(nothing);
  await removeStaleSocket(path);
  const broker = createBroker();
  onTestFinished(() => broker.close());
  await broker.listenUnix(path);
  const { location, dialled } = await discoverAndDial(around);
  expect(location).toEqual({ found: "embedded", url: unixUrl(path), path, warnings: [] });
  if (dialled === undefined || dialled instanceof BusError) throw new Error("nothing was dialled", { cause: dialled });
  onTestFinished(() => dialled.destroy());
  const messages = new Inbox<string>();
  dialled.listen({ message: messages.push, close: () => {} });
  dialled.send("---\ncommand: noded.ping\nid: 1\nto: noded\ntype: request\n---\n");
  expect(await messages.next()).toMatch(/"pong": ?true/);
  const named = await discoverAndDial({ ...around, env: { ...around.env, MIXOS_NODED_URL: unixUrl(path) } });
  expect(named).toEqual({ location: { found: "environment", url: unixUrl(path), warnings: [] }, dialled: undefined });
});

test("a listener on the socket that is not a broker is found, with the dial error", async () => {
  const around = surroundings({ env: { XDG_RUNTIME_DIR: temporaryDirectory() } });
  const path = embeddedSocketPath(around);
  mkdirSync(dirname(path), { mode: 0o700 });
  const server = createServer((socket) =>
    socket
      .on("error", () => {})
      .resume()
      .end("HTTP/1.1 404 Not Found\r\n\r\n"),
  );
  server.listen(path);
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    await once(server, "close");
  });
  const { location, dialled } = await discoverAndDial(around);
  expect(location.found).toBe("embedded");
  expect(dialled).toMatchObject({ code: "DIAL_FAILED", message: expect.stringContaining("404") });
});

test("TCP is the Bus only if a broker answers there and the port belongs to root or this user", async () => {
  const broker = createBroker();
  onTestFinished(() => broker.close());
  const tcpPort = await broker.listenTcp(0);
  expect(await listenerUids("/proc", tcpPort)).toEqual([uid]);
  const around = surroundings({ tcpPort });
  expect(await discoverBus(around)).toEqual({ found: "tcp", url: `ws://127.0.0.1:${tcpPort}/ws`, warnings: [] });
  const proc = temporaryDirectory();
  const hexPort = tcpPort.toString(16).toUpperCase().padStart(4, "0");
  const table = (address: string, owner: number): string =>
    `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n` +
    `   0: ${address}:${hexPort} 00000000:0000 0A 00000000:00000000 00:00000000 00000000  ${owner}        0 12345 1 0 100 0 0 10 0\n`;
  for (const [name, address] of [
    ["tcp", "0100007F"],
    ["tcp", "00000000"],
    ["tcp6", "00000000000000000000000000000000"],
  ] as const) {
    written(join(proc, "net", "tcp"), "");
    written(join(proc, "net", "tcp6"), "");
    written(join(proc, "net", name), table(address, uid + 77));
    const foreign = await discoverBus({ ...around, proc });
    expect(foreign).toMatchObject({ found: "none", warnings: [expect.stringContaining(`belongs to uid ${uid + 77}`)] });
    written(join(proc, "net", name), table(address, 0));
    expect((await discoverBus({ ...around, proc })).found).toBe("tcp");
  }
  written(join(proc, "net", "tcp"), "");
  written(join(proc, "net", "tcp6"), "");
  expect(await discoverBus({ ...around, proc })).toEqual({ found: "none", warnings: [] });
});

test("a port on which another program answers is not taken for the Bus", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.resume().end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  const location = await discoverBus(surroundings({ tcpPort: port }));
  expect(location).toMatchObject({ found: "none", warnings: [expect.stringContaining("no broker answers")] });
});
