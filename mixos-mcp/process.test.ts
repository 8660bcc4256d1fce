// SPDX-License-Identifier: MIT OR Apache-2.0
// The process: its output and its exit.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { done, serveCitizen } from "../bus-client/index.ts";
import { verb } from "../bus-client/testing/served-citizen.ts";
import { stoppedAfterTest } from "../bus-client/testing/test-broker.ts";
import { busWithServices } from "./testing/bus-with-services.ts";
import { mcpProgram } from "./testing/server-process.ts";

interface Running {
  readonly child: ChildProcess;
  readonly lines: Interface;
  readonly say: (message: object) => void;
  readonly exited: Promise<number | NodeJS.Signals | null>;
}

function running(env: Record<string, string>): Running {
  const child = spawn(process.execPath, [mcpProgram], { env, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null);
  child.stdin.on("error", () => {});
  const say = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return { child, lines: createInterface({ input: child.stdout }), say, exited };
}

const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } },
};
const isOurs = (name: string): boolean => name.startsWith("mcp-");

/** Starts a server that is on the Bus and has a call that is never answered. */
async function busyServer() {
  const bus = await busWithServices();
  const server = running(bus.env);
  server.say(initialize);
  await once(server.lines, "line");
  server.say({ method: "notifications/initialized" });
  const args = { service: "echo", command: "echo.hold" };
  server.say({ id: 2, method: "tools/call", params: { name: "bus_call", arguments: args } });
  await bus.held.next();
  expect((await bus.names()).filter(isOurs)).toHaveLength(1);
  return { ...bus, ...server };
}

test.each([
  ["--help", 0, /^mixos-mcp: .*\n[^]*"command": "mixos-mcp"/, /^$/],
  ["--version", 0, /^mixos-mcp \d+\.\d+\.\d+\n$/, /^$/],
  ["--bogus", 2, /^$/, /^mixos-mcp: unknown argument --bogus/],
  ["serve", 2, /^$/, /^mixos-mcp: unknown argument serve/],
])("started with %s it prints a message and exits with %i", (word, code, stdout, stderr) => {
  const ran = spawnSync(process.execPath, [mcpProgram, word], { encoding: "utf8", env: {} });
  expect(ran).toMatchObject({
    status: code,
    stdout: expect.stringMatching(stdout),
    stderr: expect.stringMatching(stderr),
  });
});

const hasTerminals = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

test.runIf(hasTerminals)("at a terminal it prints what it waits for", async () => {
  const child = spawn("script", ["-qec", `${process.execPath} ${mcpProgram}`, "/dev/null"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const closed = once(child, "close");
  const [first] = (await once(child.stdout, "data")) as [Buffer];
  expect(first.toString()).toContain("waiting for an MCP client");
  child.kill("SIGTERM");
  await closed;
});

test("it exits when its stdin ends, even with an open call, and leaves the Bus", async () => {
  const { child, exited, untilNames } = await busyServer();
  child.stdin?.end();
  expect(await exited).toBe(0);
  await untilNames((names) => !names.some(isOurs));
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("it exits on %s and leaves the Bus", async (signal) => {
  const { child, exited, untilNames } = await busyServer();
  child.kill(signal);
  expect(await exited).toBe(0);
  await untilNames((names) => !names.some(isOurs));
});

test("it exits when nobody reads its stdout any more", async () => {
  const { child, exited, say } = await busyServer();
  child.stdout?.destroy();
  say({ id: 3, method: "tools/list" });
  expect(await exited).toBe(0);
});

test("a byte order mark before the first message is ignored", async () => {
  const { env } = await busWithServices();
  const { child, lines, exited, say } = running(env);
  child.stdin?.write(Buffer.from([0xef, 0xbb]));
  child.stdin?.write(Buffer.from([0xbf]));
  say(initialize);
  const [line] = (await once(lines, "line")) as [string];
  expect(JSON.parse(line)).toMatchObject({ id: 1, result: { protocolVersion: "2025-06-18" } });
  child.stdin?.end();
  expect(await exited).toBe(0);
});

test("its stdout carries only MCP, whatever comes on its stdin", async () => {
  const { env } = await busWithServices();
  const { child, lines, exited, say } = running(env);
  const said: string[] = [];
  lines.on("line", (line) => said.push(line));
  child.stdin?.write('no JSON\n{"jsonrpc":"2.0"}\n\n[1]\n');
  say(initialize);
  say({ id: 2, method: "unheard/of" });
  say({ id: 3, method: "ping" });
  while (said.length < 3) await once(lines, "line");
  child.stdin?.end();
  expect(await exited).toBe(0);
  const ids = said.map((line) => (JSON.parse(line) as { jsonrpc: string; id: number }).id);
  expect(new Set(ids)).toEqual(new Set([1, 2, 3]));
});

test("numbers in calls, publications and replies stay as they were written", async () => {
  const numbers = '{"id":1193820475610234881,"weight":1e400,"zero":-0,"rate":1.10}';
  const bus = await busWithServices();
  const citizen = serveCitizen({
    client: { url: () => bus.broker.connectLocal() },
    service: "numbers",
    version: "1",
    description: "gives back what it is given",
    verbs: [verb("numbers.take", ({ args }) => done(args))],
  });
  await stoppedAfterTest(citizen).connect();
  const published: string[] = [];
  await bus.onlooker.subscribe("numbers.topic", ({ body }) => void published.push(body));
  const { child, lines, say } = running(bus.env);
  say(initialize);
  await once(lines, "line");
  say({ method: "notifications/initialized" });
  const call = async (id: number, name: string, args: string): Promise<string | undefined> => {
    const answered = once(lines, "line");
    child.stdin?.write(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}\n`,
    );
    const [line] = (await answered) as [string];
    const { result } = JSON.parse(line) as { result: { content: { text: string }[] } };
    return result.content[0]?.text;
  };
  const asked = `{"service":"numbers","command":"numbers.take","args":{"in":${numbers}},"timeout_ms":30000.0}`;
  expect(await call(2, "bus_call", asked)).toBe(`{"in":${numbers}}`);
  await call(3, "bus_publish", `{"topic":"numbers.topic","body":${numbers}}`);
  expect(published).toEqual([expect.stringContaining(numbers)]);
});
