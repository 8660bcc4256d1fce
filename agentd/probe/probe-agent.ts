// SPDX-License-Identifier: MIT OR Apache-2.0
// Measures what an agent really offers: starts it as a session would, and drives it over ACP. A fault of the agent is a
// cell of the result, never an error of the probe.
import type { AgentClient, AgentSink, OpenSessionParams } from "../../acp-client/agent-client.ts";
import type { AgentExit, Outcome } from "../../acp-client/agent-events.ts";
import { truncateText } from "../../acp-client/jsonrpc/sample.ts";
import type { AgentIdentity, McpServer } from "../../acp-client/model.ts";
import type { ProbeCell, ProbeDepth, ProbeStep } from "../vocabulary/probe.ts";
import { ProbedAgent } from "./probed-agent.ts";
import type { TreeMemory } from "./tree-memory.ts";

export interface ProbeLimits {
  readonly initializeMs: number;
  readonly openMs: number;
  readonly turnMs: number;
  readonly cancelMs: number;
}

export interface ProbeOptions {
  readonly depth: ProbeDepth;
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
  readonly limits: ProbeLimits;
  readonly start: (sink: AgentSink) => AgentClient;
  readonly onIdentity: (identity: AgentIdentity) => void;
  readonly measure: (client: AgentClient) => Promise<TreeMemory>;
  /** Whether the MCP server for the Bus has connected; undefined if the agent is not given one. */
  readonly hasBusTools: (() => Promise<boolean>) | undefined;
}

export interface ProbeResult {
  readonly identity: AgentIdentity | undefined;
  /** The session that the agent has made, and keeps. */
  readonly sessionId: string | undefined;
  readonly cells: readonly ProbeCell[];
}

const prompts = {
  text: "Answer with the one word: ready",
  write: "write probe.txt probe",
  long: "slow 60 and count from 1 to 1000 in words, one number a line",
} as const;

const textUnitsMax = 2_000;

/** How long a turn may run before it is cancelled if it shows nothing. */
const cancelAfterMs = 2_000;

const fullSteps: readonly ProbeStep[] = [
  "new_session",
  "prompt",
  "permission",
  "cancel",
  "bus_tools",
  "memory_after_turns",
  "stop",
  "load",
  "load_again",
  "resume",
];

export async function probeAgent(options: ProbeOptions): Promise<ProbeResult> {
  const probe = new Probe(options);
  await probe.run();
  return probe.result();
}

class Probe {
  readonly #options: ProbeOptions;
  readonly #cells = new Map<ProbeStep, ProbeCell>();
  #identity: AgentIdentity | undefined;
  #sessionId: string | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const agent = new ProbedAgent(this.#options.start);
    try {
      if (await this.#initialize(agent)) await this.#drive(agent);
    } finally {
      this.#addStop(await agent.stop());
    }
    if (this.#options.depth === "full") await this.#restore();
  }

  result(): ProbeResult {
    const steps: readonly ProbeStep[] = ["initialize", "memory", ...this.#laterSteps()];
    const cells = steps.map((step) => this.#cells.get(step) ?? { step, result: "skipped" as const });
    return { identity: this.#identity, sessionId: this.#sessionId, cells };
  }

  #laterSteps(): readonly ProbeStep[] {
    return this.#options.depth === "full" ? fullSteps : ["stop"];
  }

  /** The agent has written some of the texts. */
  #add({ text, ...cell }: ProbeCell): void {
    const bounded = text === undefined ? {} : { text: truncateText(text, textUnitsMax) };
    this.#cells.set(cell.step, { ...cell, ...bounded });
  }

  async #initialize(agent: ProbedAgent): Promise<boolean> {
    const { limits, onIdentity } = this.#options;
    const { outcome, ms } = await agent.initialize(limits.initializeMs);
    if (!outcome.ok) {
      this.#add(failedCell("initialize", outcome, ms));
      return false;
    }
    this.#identity = outcome.value;
    onIdentity(outcome.value);
    this.#add({ step: "initialize", result: "ok", ms: round(ms) });
    this.#add(await this.#memory("memory", agent));
    return true;
  }

  async #drive(agent: ProbedAgent): Promise<void> {
    const { depth, limits, hasBusTools } = this.#options;
    if (depth !== "full") return;
    const opened = await agent.open({ how: "new", ...this.#place() }, limits.openMs);
    if (!opened.outcome.ok) return this.#add(failedCell("new_session", opened.outcome, opened.ms));
    const { sessionId, options } = opened.outcome.value;
    this.#sessionId = sessionId;
    const offered = options.map(({ option, value }) => `${option}=${value}`).join(", ");
    this.#add({
      step: "new_session",
      result: "ok",
      ms: round(opened.ms),
      text: offered === "" ? "no options" : offered,
    });
    if (!(await this.#prompt(agent))) return;
    if (!(await this.#askPermission(agent))) return;
    await this.#cancel(agent);
    if (hasBusTools !== undefined) {
      const has = await hasBusTools();
      this.#add({ step: "bus_tools", result: has ? "ok" : "failed", text: has ? "connected" : "did not connect" });
    } else this.#add({ step: "bus_tools", result: "skipped", text: "bus_tools is off in the configuration" });
    this.#add(await this.#memory("memory_after_turns", agent));
  }

  async #prompt(agent: ProbedAgent): Promise<boolean> {
    const { outcome, ms } = await agent.prompt(prompts.text, this.#options.limits.turnMs);
    if (!outcome.ok) this.#add(failedCell("prompt", outcome, ms));
    else this.#add({ step: "prompt", result: "ok", ms: round(ms), text: outcome.value.stopReason });
    return outcome.ok;
  }

  async #askPermission(agent: ProbedAgent): Promise<boolean> {
    const { outcome, ms } = await agent.prompt(prompts.write, this.#options.limits.turnMs);
    const kinds = agent.firstAsked?.options.map(({ kind }) => kind).join(", ");
    if (!outcome.ok) {
      const after = kinds === undefined ? "" : `asked (${kinds}); after the no: `;
      this.#add({ ...failedCell("permission", outcome, ms), text: `${after}${outcome.failure.message}` });
      return false;
    }
    const { stopReason } = outcome.value;
    const text = kinds === undefined ? `did not ask; ${stopReason}` : `asked (${kinds}); after the no: ${stopReason}`;
    this.#add({ step: "permission", result: kinds === undefined ? "no" : "ok", ms: round(ms), text });
    return true;
  }

  async #cancel(agent: ProbedAgent): Promise<void> {
    const { outcome, ms, tooLate } = await agent.cancel(prompts.long, cancelAfterMs, this.#options.limits.cancelMs);
    if (!outcome.ok) return this.#add(failedCell("cancel", outcome, ms));
    const { stopReason } = outcome.value;
    if (tooLate) return this.#add({ step: "cancel", result: "skipped", text: "the turn ended before the cancel" });
    const result = stopReason === "cancelled" ? "ok" : "failed";
    this.#add({ step: "cancel", result, ms: round(ms), text: stopReason });
  }

  /** Loads the session twice and resumes it, in a new process each, as a session does that comes back. */
  async #restore(): Promise<void> {
    const sessionId = this.#sessionId;
    const offered = this.#identity?.capabilities;
    if (sessionId === undefined || offered === undefined) return;
    for (const step of ["load", "load_again", "resume"] as const) {
      const how = step === "resume" ? "resume" : "load";
      if (offered[how]) await this.#restoreBy(step, { how, sessionId, ...this.#place() });
      else this.#add({ step, result: "no", text: "not offered" });
    }
  }

  async #restoreBy(step: ProbeStep, request: OpenSessionParams & { readonly sessionId: string }): Promise<void> {
    const { limits } = this.#options;
    const agent = new ProbedAgent(this.#options.start);
    try {
      const initialized = await agent.initialize(limits.initializeMs);
      if (!initialized.outcome.ok) return this.#add(failedCell(step, initialized.outcome, initialized.ms));
      const { outcome, ms } = await agent.open(request, limits.openMs);
      this.#add(outcome.ok ? { step, result: "ok", ms: round(ms) } : failedCell(step, outcome, ms));
    } finally {
      await agent.stop();
    }
  }

  async #memory(step: ProbeStep, agent: ProbedAgent): Promise<ProbeCell> {
    const { processes, bytes } = await this.#options.measure(agent.client);
    return { step, result: "ok", processes, ...(bytes === undefined ? {} : { bytes }) };
  }

  #addStop({ exit, ms }: { readonly exit: AgentExit; readonly ms: number }): void {
    const { killed = 0 } = exit;
    const how = exit.signal === null ? `exit code ${exit.code ?? "unknown"}` : exit.signal;
    const text = killed === 0 ? how : `${how}; processes that were still there and were killed: ${killed}`;
    // Those that end a moment after the agent, as its MCP servers do, may be among the killed.
    const result = exit.signal === "SIGKILL" ? "failed" : "ok";
    this.#add({ step: "stop", result, ms: round(ms), processes: killed, text });
  }

  #place() {
    const { cwd, mcpServers } = this.#options;
    return { cwd, additionalDirectories: [], mcpServers };
  }
}

function failedCell(step: ProbeStep, outcome: Extract<Outcome<unknown>, { ok: false }>, ms: number): ProbeCell {
  const { code, message, rpc } = outcome.failure;
  const number = rpc === undefined ? "" : ` (${rpc.code})`;
  return { step, result: "failed", ms: round(ms), text: `${code}${number}: ${message}`.slice(0, textCharactersMax) };
}

const textCharactersMax = 1_000;

function round(ms: number): number {
  return Math.round(ms);
}
