// SPDX-License-Identifier: MIT OR Apache-2.0
// Real processes for tests, and helpers to wait for them.
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { startAgentProcess } from "../start-agent-process.ts";
import type { AgentExit } from "../../agent-events.ts";
import type { AgentProcess, AgentProcessOptions } from "../agent-process.ts";
import { processTable } from "../process-table.ts";
import { procSource, type Marker, type ProcessRow } from "../process-source.ts";

export const table = processTable();
const source = procSource();

export function newMarker(): Marker {
  return { name: "TREE_TEST", value: randomUUID() };
}

export interface StartedAgent extends AsyncDisposable {
  readonly agent: AgentProcess;
  readonly marker: Marker;
  readonly exit: Promise<AgentExit>;
  /** Returns its stdout so far. */
  stdout(): string;
}

/** Starts an agent in the temporary directory with only PATH set. It is stopped at the end of the scope. */
export function start(
  command: AgentProcessOptions["command"],
  options: Partial<AgentProcessOptions> = {},
): StartedAgent {
  const marker = newMarker();
  const env = { PATH: process.env["PATH"] ?? "" };
  const agent = startAgentProcess({ command, cwd: tmpdir(), env, marker, ...options });
  const chunks: Buffer[] = [];
  agent.onStdout((chunk) => chunks.push(chunk));
  const exit = new Promise<AgentExit>((resolve) => agent.onExit(resolve));
  return {
    agent,
    marker,
    exit,
    stdout: () => Buffer.concat(chunks).toString(),
    [Symbol.asyncDispose]: async () => {
      await agent.stop({ stdinGraceMs: 0, termGraceMs: 0 });
    },
  };
}

export function shell(script: string, options: Partial<AgentProcessOptions> = {}): StartedAgent {
  return start(["sh", "-c", script], options);
}

/** Returns the living processes with the marker in their environment. */
export function marked(marker: Marker): ProcessRow[] {
  return [...source.list()].filter(
    (row) => !row.zombie && source.environmentValues(row.pid, marker.name).includes(marker.value),
  );
}

export function isRunning(pid: number): boolean {
  const row = table.read(pid);
  return row !== undefined && !row.zombie;
}

/** Resolves when `isSo` returns true. Rejects after ten seconds. */
export async function eventually(what: string, isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`not within ten seconds: ${what}`);
    await setTimeout(2);
  }
}
