// SPDX-License-Identifier: MIT OR Apache-2.0
// A session that agentd starts and one that the official client library starts leave the same files in the agent's home,
// and do the same to its configuration.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { client, type McpServer, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { expect } from "vitest";
import { turnDeadlineMs } from "./agent-session.ts";
import type { ContractSetting } from "./contract-setting.ts";
import type { RealAgent, RealAgentName } from "./real-agents.ts";
import type { Row } from "./rows.ts";
import { twinEntryOf } from "./workshop.ts";

export function clientRow(row: Row, name: RealAgentName, setting: ContractSetting): void {
  row("client", async () => {
    const { workshop } = setting;
    const cwd = workshop.place.directory("twin");
    workshop.model.play({ words: "leave a trace", steps: [{ text: ["Here it is."] }] });

    const { home } = await workshop.freshTwin();
    const configuration = await filesBelow(home);
    const configured = (): Promise<string[]> => Promise.all(configuration.map((path) => readFile(path, "utf8")));
    const session = await workshop.openSession({ agent: twinEntryOf(name), cwd });
    expect(await (await session.prompt("leave a trace")).ended()).toMatchObject({ stop_reason: "end_turn" });
    expect((await session.close()).left).toEqual([]);
    const byAgentd = await filesIn(home);
    const configuredByAgentd = await configured();

    const { agent } = await workshop.freshTwin();
    await runOwnClient(agent, cwd, "leave a trace");
    const byClient = await filesIn(home);
    expect(byAgentd).toEqual(byClient);
    expect(configuration).not.toEqual([]);
    expect(configuredByAgentd).toEqual(await configured());
    return `yes, ${byClient.length} files`;
  });
}

/** One turn by the official client library, with an MCP server of the name that agentd's has. */
async function runOwnClient({ command, env }: RealAgent, cwd: string, prompt: string): Promise<void> {
  const [program, ...args] = command;
  const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"], detached: true });
  const exited = once(child, "exit");
  try {
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    const server: McpServer = {
      name: "mixos",
      command: process.execPath,
      args: [fileURLToPath(new URL("../../dist/bin/mixos-mcp.cjs", import.meta.url))],
      env: [],
    };
    await client({ name: "own-client" }).connectWith(stream, async (agent) => {
      await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
      const mcpServers = [server];
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers });
      const turn = { sessionId, prompt: [{ type: "text" as const, text: prompt }] };
      expect(await agent.request(methods.agent.session.prompt, turn)).toMatchObject({ stopReason: "end_turn" });
    });
  } finally {
    await endAgent(child, exited);
  }
}

/** As agentd ends an agent: by the end of its stdin, then by SIGTERM, then by SIGKILL; and until its last process is gone. */
async function endAgent(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  const pid = child.pid;
  const term = setTimeout(() => child.kill("SIGTERM"), 8000);
  const kill = setTimeout(() => pid !== undefined && process.kill(-pid, "SIGKILL"), 11_000);
  child.stdin?.end();
  await exited;
  clearTimeout(term);
  clearTimeout(kill);
  // Claude's own process outlives the adapter, and removes its files when it ends.
  await expect.poll(() => pid !== undefined && isGroupAlive(pid), { timeout: turnDeadlineMs }).toBe(false);
}

function isGroupAlive(leader: number): boolean {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
}

async function filesBelow(home: string): Promise<string[]> {
  const found = await readdir(home, { recursive: true, withFileTypes: true });
  return found.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

/** Their names below the home, without what differs from run to run: ids, hashes, times. Each as often as it is there. */
async function filesIn(home: string): Promise<string[]> {
  const names = (await filesBelow(home))
    .map((path) => relative(home, path))
    // Of a database that was open.
    .filter((name) => !/-(?:shm|wal)$/.test(name))
    .map((name) => name.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8,}|\d+/g, "#"))
    .map((name) => name.replaceAll(/\b(ses|msg|prt)_\w+/g, "$1_#"));
  return names.toSorted();
}
