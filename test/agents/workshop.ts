// SPDX-License-Identifier: MIT OR Apache-2.0
// One agent's place to work in: a scripted model, a home, directories, and the proof that all of it is gone afterwards.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentDriver } from "./agent-driver.ts";
import { startExchangeDriver } from "./exchange-driver.ts";
import { repositoryInstallation } from "./installation.ts";
import { killMarked, type MarkedProcess, markedProcesses, remainingProcesses } from "./marked-processes.ts";
import { type ModelServer, startModelServer } from "./model-server/model-server.ts";
import { prepareRealAgent, type RealAgent, type RealAgentName } from "./real-agents.ts";

export interface Workshop extends AsyncDisposable {
  readonly agent: RealAgent;
  readonly model: ModelServer;
  /** A fresh, empty directory. */
  directory(): Promise<string>;
  startAgent(): Promise<AgentDriver>;
  /** What runs of the agents started here, their commands included. */
  processes(): Promise<readonly MarkedProcess[]>;
  /** What of it still runs at the deadline; returns at once when nothing does. */
  remaining(deadlineMs: number): Promise<readonly MarkedProcess[]>;
}

export async function openWorkshop(name: RealAgentName): Promise<Workshop> {
  const root = await mkdtemp(join(tmpdir(), `agentd-${name}-`));
  const model = await startModelServer();
  const marker = randomUUID();
  const marked = `${markerName}=${marker}`;
  const agent = await prepareRealAgent(name, {
    installed: repositoryInstallation.into,
    home: join(root, "home"),
    modelPort: model.port,
  });
  const leaves = agent.leaves.filter((path) => !existsSync(path));
  const running = new Set<AgentDriver>();
  let directories = 0;

  async function directory(): Promise<string> {
    const path = join(root, `work-${++directories}`);
    await mkdir(path);
    return path;
  }

  return {
    agent,
    model,
    directory,
    async startAgent() {
      const env = { ...agent.env, [markerName]: marker };
      const driver = await startExchangeDriver({ command: agent.command, cwd: root, env });
      running.add(driver);
      return {
        ...driver,
        async end(deadlineMs) {
          running.delete(driver);
          await driver.end(deadlineMs);
        },
      };
    },
    processes: () => markedProcesses(marked),
    remaining: (deadlineMs) => remainingProcesses(marked, deadlineMs),
    async [Symbol.asyncDispose]() {
      const failures: unknown[] = [];
      for (const driver of running) await driver.end(endDeadlineMs).catch((failure: unknown) => failures.push(failure));
      const left = await remainingProcesses(marked, goneDeadlineMs);
      killMarked(left);
      if ((await remainingProcesses(marked, goneDeadlineMs)).length > 0)
        failures.push(new Error("not even SIGKILL ended them"));
      if (left.length > 0) failures.push(new Error(`${name} left ${JSON.stringify(left)}`));
      await model.close().catch((failure: unknown) => failures.push(failure));
      // Only what was not there before, and only if empty: it may be an agent's of the user's own by now.
      for (const path of leaves) await rmdir(path).catch(() => undefined);
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
      if (failures.length > 0) throw new AggregateError(failures, `${name} was not gone afterwards`);
    },
  };
}

const markerName = "AGENTD_REAL_AGENT_TEST";

/** Codex was seen to need 7 s from the end of its stdin to its own. */
export const endDeadlineMs = 30_000;
export const goneDeadlineMs = 10_000;
