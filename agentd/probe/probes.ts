// SPDX-License-Identifier: MIT OR Apache-2.0
// Carries out agent.probe: each in a fresh directory, with the environment and the MCP server that a session gets.
import { rmSync } from "node:fs";
import type { AgentClient, AgentSink } from "../../acp-client/agent-client.ts";
import { sessionMarker } from "../catalogue/environment.ts";
import type { Limits } from "../config/limits.ts";
import { freshWorkspace } from "../instance/directories.ts";
import type { Log } from "../log/open.ts";
import { Aborted } from "../log-maintenance.ts";
import type { BusToolsWatch } from "../bus-tools.ts";
import type { AgentsOptions } from "../session/agents/agents.ts";
import { childOf } from "../session/agents/client-requests.ts";
import type { Command, PostponedReply } from "../session/core/input.ts";
import { newSession } from "../session/core/state.ts";
import { toErrorBody } from "../session/core/turns.ts";
import { errorBody, instanceSession, type ProbeReply } from "../vocabulary/index.ts";
import { probeAgent, type ProbeResult } from "./probe-agent.ts";
import { measureTree } from "./tree-memory.ts";

export interface ProbesOptions {
  readonly log: Log;
  readonly limits: Limits;
  readonly plan: AgentsOptions["plan"];
  readonly workspacesDirectory: string;
  /** A session id that no session has. It marks the probe's processes and names its MCP server on the Bus. */
  readonly newId: () => string;
  readonly now: () => number;
  readonly busTools: Pick<BusToolsWatch, "hasRegistered" | "forget">;
  /** Whether agents are given the MCP server for the Bus. */
  readonly givesBusTools: () => boolean;
  /** Removes what is kept for a session of the agent's that no session here has. */
  readonly forgetAgentSession: (agent: string, agentSession: string) => void;
  /** The agent's start_timeout, if it has one. */
  readonly startTimeoutMs: (agent: string) => number | undefined;
}

export class Probes {
  readonly #options: ProbesOptions;
  readonly #clients = new Set<AgentClient>();
  readonly #running = new Set<Promise<unknown>>();
  #stopping = false;

  constructor(options: ProbesOptions) {
    this.#options = options;
  }

  /** How many probes run. Each counts towards max_sessions. */
  get count(): number {
    return this.#running.size;
  }

  /** Runs a command that is already in the log, and returns its reply. Rejects if `stop` interrupts it (`Aborted`). */
  run(command: Command<"agent.probe">): Promise<PostponedReply> {
    const running = this.#run(command);
    this.#running.add(running);
    const forget = (): void => void this.#running.delete(running);
    running.then(forget, forget);
    return running;
  }

  /** Ends the agents of all probes. Resolves when they are gone. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#clients].map((client) => client.stop()));
    await Promise.allSettled(this.#running);
  }

  async #run({ args }: Command<"agent.probe">): Promise<PostponedReply> {
    const { newId, now, workspacesDirectory, plan, busTools, forgetAgentSession } = this.#options;
    const { agent, depth, env } = args;
    const id = newId();
    const probedAt = new Date(now()).toISOString();
    const cwd = freshWorkspace(workspacesDirectory);
    try {
      const state = newSession({ id, agent, cwd, additionalDirs: [], env, createdAt: probedAt });
      const planned = plan(state);
      if (!planned.ok) return { rc: 10, body: { ...toErrorBody(planned.failure), agent } };
      const { launch } = planned;
      const result = await this.#probe(id, cwd, args, launch);
      if (this.#stopping) throw new Aborted();
      if (result.sessionId !== undefined) forgetAgentSession(agent, result.sessionId);
      return { rc: 0, body: { ...toReply(agent, depth, probedAt, result) } };
    } catch (error) {
      if (error instanceof Aborted || this.#stopping) throw error;
      const message = `the probe failed: ${error instanceof Error ? error.message : String(error)}`;
      return { rc: 10, body: errorBody("AGENT_ERROR", message, { agent }) };
    } finally {
      busTools.forget(id);
      rmSync(cwd, { recursive: true, force: true });
    }
  }

  async #probe(
    id: string,
    cwd: string,
    { agent, depth }: Command<"agent.probe">["args"],
    launch: Extract<ReturnType<AgentsOptions["plan"]>, { ok: true }>["launch"],
  ): Promise<ProbeResult> {
    const { log, limits, busTools, givesBusTools, startTimeoutMs } = this.#options;
    const marker = { name: sessionMarker, value: `${log.id}/${id}` };
    const startMs = startTimeoutMs(agent);
    try {
      return await probeAgent({
        depth,
        cwd,
        mcpServers: launch.mcpServers,
        // A little later than the client's own limits, whose messages say more.
        limits: {
          initializeMs: (startMs ?? limits.initializeTimeoutMs) + 1_000,
          openMs: (startMs ?? limits.openTimeoutMs) + 1_000,
          turnMs: limits.probeTurnMs,
          cancelMs: limits.cancelForceMs,
        },
        start: (sink) => this.#start(marker.value, (own) => launch.start(own, {}), sink),
        onIdentity: (identity) => launch.onIdentity?.(identity),
        measure: (client) => measureTree(client.processIdentity, marker),
        hasBusTools: givesBusTools() ? () => busTools.hasRegistered(id) : undefined,
      });
    } finally {
      await launch.cleanUp?.();
    }
  }

  /** Records the process, so that the next agentd ends it if this one dies. */
  #start(marker: string, start: (sink: AgentSink) => AgentClient, sink: AgentSink): AgentClient {
    if (this.#stopping) throw new Aborted();
    const { processes } = this.#options.log;
    let forget = (): void => {};
    const client = start({
      onEvent: (event) => {
        sink.onEvent(event);
        if (event.type !== "exited") return;
        this.#clients.delete(client);
        forget();
      },
      onBatchEnd: () => sink.onBatchEnd(),
    });
    this.#clients.add(client);
    if (client.processIdentity !== undefined) {
      const record = { session: instanceSession, ...childOf(client.processIdentity), marker };
      processes.add(record);
      forget = () => processes.remove(record);
    }
    return client;
  }
}

function toReply(agent: string, depth: ProbeReply["depth"], probedAt: string, result: ProbeResult): ProbeReply {
  const { identity, cells } = result;
  return {
    agent,
    depth,
    probed_at: probedAt,
    agent_info: identity?.info ?? null,
    protocol_version: identity?.protocolVersion ?? null,
    capabilities: { ...identity?.capabilities },
    auth_methods: (identity?.authMethods ?? []).map((method) => method.id),
    cells,
  };
}
