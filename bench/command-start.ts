// SPDX-License-Identifier: MIT OR Apache-2.0
// What starting costs, to Node.js doing nothing: `mix agent ls`, from its start to its end with a running agentd, and the
// MCP server, from its start to its first answer, which an agent waits for before its first turn.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startDaemonProcess } from "../test/harness/daemon-process.ts";
import { makePlace } from "../test/harness/place.ts";
import { type Finding, findingOf } from "./finding.ts";
import { runInTurn } from "./rounds.ts";

const mixProgram = fileURLToPath(new URL("../dist/bin/mix.cjs", import.meta.url));
const mcpProgram = fileURLToPath(new URL("../dist/bin/mixos-mcp.cjs", import.meta.url));

/** An empty program measured 0.99 to 1.26 of `node -e 0` in few rounds: fewer than these say nothing. */
export const commandRoundsMin = 25;

export async function measureCommandStart(rounds: number, onRound: (done: number) => void): Promise<Finding[]> {
  using place = makePlace();
  await using _daemon = await startDaemonProcess(place);
  const pair = {
    ours: () => millisecondsOf([mixProgram, "agent", "ls"], place.environment),
    other: () => millisecondsOf(["-e", "0"], place.environment),
  };
  const question = {
    what: "mix agent ls: time, to `node -e 0`",
    goal: { atMost: 1.8 },
    write: milliseconds,
  };
  return [findingOf(question, await runInTurn(pair, Math.max(rounds, commandRoundsMin), onRound))];
}

export async function measureMcpStart(rounds: number, onRound: (done: number) => void): Promise<Finding[]> {
  using place = makePlace();
  const pair = {
    ours: () => millisecondsToAnswer([mcpProgram], initialize, place.environment),
    other: () => millisecondsOf(["-e", "0"], place.environment),
  };
  const question = {
    what: "mixos-mcp: time to the answer to initialize, to `node -e 0`",
    goal: { atMost: 2.5 },
    write: milliseconds,
  };
  return [findingOf(question, await runInTurn(pair, Math.max(rounds, commandRoundsMin), onRound))];
}

export const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "0" } },
};

/** From the start of a program that answers a JSON-RPC request in lines to the answer. Ends it by ending its input. */
export async function millisecondsToAnswer(
  args: readonly string[],
  request: object,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  const exited = once(child, "exit");
  child.stdin.write(`${JSON.stringify(request)}\n`);
  await once(createInterface({ input: child.stdout }), "line");
  const passed = performance.now() - started;
  child.stdin.end();
  await exited;
  return passed;
}

export async function millisecondsOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`);
  return performance.now() - started;
}
