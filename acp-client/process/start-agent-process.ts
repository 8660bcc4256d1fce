// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AgentExit } from "../agent-events.ts";
import type { AgentProcess, AgentProcessOptions } from "./agent-process.ts";
import { processTable } from "./process-table.ts";
import { spawnChild } from "./spawn-child.ts";
import type { SpawnFailure } from "./spawn-failure.ts";
import { SpawnedAgent } from "./spawned-agent.ts";

/**
 * Starts the program in a session of its own, without a controlling terminal. Never throws: a failure to start is
 * reported asynchronously, as an exit with `spawnError`.
 */
export function startAgentProcess(options: AgentProcessOptions): AgentProcess {
  const spawned = spawnChild(options, "pipe");
  return "child" in spawned
    ? new SpawnedAgent(spawned.child, options, processTable())
    : new UnstartedAgent(spawned.failure);
}

/** An agent that could not be started. Its exit gives the reason. */
class UnstartedAgent implements AgentProcess {
  readonly pid = undefined;
  readonly identity = undefined;
  readonly writableBytes = 0;
  readonly #exit: Promise<AgentExit>;

  constructor(failure: Promise<SpawnFailure>) {
    this.#exit = failure.then((spawnError) => ({ code: null, signal: null, spawnError }));
  }

  onStdout(): void {}

  onExit(listener: (exit: AgentExit) => void): void {
    void this.#exit.then(listener);
  }

  write(): boolean {
    return false;
  }

  closeStdin(): void {}

  onStdinGone(): void {}

  pause(): void {}

  resume(): void {}

  stderrTail(): string {
    return "";
  }

  rememberTree(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<AgentExit> {
    return this.#exit;
  }
}
