// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AgentProcess, AgentProcessOptions } from "./agent-process.ts";
import { processTable } from "./process-table.ts";
import { spawnChild } from "./spawn-child.ts";
import { SpawnedAgent } from "./spawned-agent.ts";
import { UnstartedAgent } from "./unstarted-agent.ts";

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
