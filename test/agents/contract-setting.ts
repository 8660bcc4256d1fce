// SPDX-License-Identifier: MIT OR Apache-2.0
// What the tests of one agent share: its workshop, and sessions that stand open from one test to the next.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { type AgentSession, startDeadlineMs, type Turn, turnDeadlineMs, type ToolCallEnd } from "./agent-session.ts";
import type { ProbeStep } from "../../agentd/vocabulary/probe.ts";
import type { ModelRequest } from "./model-server/model-server.ts";
import type { RealAgentName } from "./real-agents.ts";
import type { RowId } from "./rows.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

/** Where the agents differ, and ACP lets them. */
export interface AgentHabits {
  /** What it does when the user rejects a tool call. */
  readonly rejection: {
    readonly stopReason: "end_turn" | "cancelled";
    /** Whether it tells the model, which then goes on. */
    readonly modelGoesOn: boolean;
    /** How the call ends: of a file that was to be written, and of a command. */
    readonly call: ToolCallEnd;
    readonly command: ToolCallEnd;
  };
  /** Whether it asks before it calls a tool of an MCP server. */
  readonly asksForMcpCalls: boolean;
  /** Whether a prompt can go into its running turn. */
  readonly steered: boolean;
  /** What becomes of the question of a sub-agent: `sub-agent-row.ts` has each in full. */
  readonly subAgents: "asks below its parent" | "asks as the agent" | "waits for ever" | "never asks";
  readonly login: LoginHabits;
  /** How it brings a session back. */
  readonly resumed: "resume" | "load or fresh";
  /** Whether it shows people the forms that an MCP server asks them to fill in. */
  readonly showsForms: boolean;
  readonly failingModels: readonly FailingModel[];
  /** What the end of a turn has to match whose prompt has more than 1 MiB of text. */
  readonly longPrompt: Readonly<Record<string, unknown>>;
  /** The mode in which the agent starts here, another, and by what the model is told of that one. */
  readonly modes: { readonly start: string; readonly other: string; readonly told: RegExp | null };
  /** An option beside the mode: its value at the start, another, and how the model's server sees that one. */
  readonly option: {
    readonly name: string;
    readonly start: string;
    readonly other: string;
    readonly asked: Partial<ModelRequest>;
  };
  /** All its options. */
  readonly options: readonly string[];
  /** Steps of a full probe in which it may not do what ACP says. */
  readonly probeFaults: readonly ProbeStep[];
  /** Rows that fail today, with the reason: each is a fault of agentd that is known and not mended. */
  readonly failing: Readonly<Partial<Record<RowId, string>>>;
}

/** The agent without a login, at a model that asks for a key. */
export interface LoginHabits {
  readonly missing: "start fails" | "turn fails" | "asks the model again and again";
  /** What it offers, and what agentd adds to that. */
  readonly methods: readonly string[];
  /** What a person does about it: stores a key, and has the agent log in by a method; or types a key at a terminal. */
  readonly remedy:
    | { readonly variable: string; readonly method?: string }
    | { readonly terminal: string; readonly types: readonly (readonly [shown: string, typed: string])[] };
  /** A login that needs the network: the method, and what its program is given and says. */
  readonly unreachable?: { readonly method: string; readonly runs: string; readonly says: string };
}

export interface FailingModel {
  readonly status: 401 | 429 | 500;
  /** By itself, and the turn says why; or only once it is cancelled, while it asks the model again and again. */
  readonly endsBy: "itself" | "cancel";
  /** What the turn's end has to match. */
  readonly end: Readonly<Record<string, unknown>>;
}

export interface ContractSetting {
  /** From the first test on. */
  readonly workshop: Workshop;
  /** Stays open for the next test, since an agent takes seconds to start. */
  readonly idleSession: () => Promise<AgentSession>;
  /** For a test that ends it. */
  readonly takeIdleSession: () => Promise<AgentSession>;
  /** For the next test, from one that took it or brought it back. */
  readonly handBack: (session: AgentSession) => void;
  /** All that stand open, for a test that ends agentd. */
  readonly takeAllSessions: () => AgentSession[];
  /** What the model was asked in the scenario of these words. */
  readonly requestsOf: (words: string) => ModelRequest[];
  /** A turn whose command says by a file that it runs, and then runs for an hour; `before`: shell that it runs first. */
  readonly runForAnHour: (session: AgentSession, words: string, before?: string) => Promise<Turn>;
}

/** To be called where tests are declared. */
export function prepareSetting(name: RealAgentName): ContractSetting {
  let opened: Workshop | undefined;
  const ready: AgentSession[] = [];

  beforeAll(async () => {
    opened = await openWorkshop(name);
  }, startDeadlineMs);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
  });

  const setting: ContractSetting = {
    get workshop() {
      if (opened === undefined) throw new Error(`the workshop of ${name} is open while tests run`);
      return opened;
    },
    async idleSession() {
      for (const session of ready) if ((await session.state()) === "idle") return session;
      const session = await setting.workshop.openSession();
      ready.push(session);
      return session;
    },
    async takeIdleSession() {
      const session = await setting.idleSession();
      ready.splice(ready.indexOf(session), 1);
      return session;
    },
    handBack: (session) => void ready.push(session),
    takeAllSessions: () => ready.splice(0),
    requestsOf: (asked) => setting.workshop.model.requests.filter(({ words }) => words === asked),
    async runForAnHour(session, words, before = "") {
      const { agent, model } = setting.workshop;
      const started = join(session.cwd, `${words.replaceAll(" ", "-")}.txt`);
      const command = `${before}touch '${started}'; sleep 3607`;
      model.play({ words, steps: [{ calls: [agent.tools.shell(command)] }, { text: ["It ran."] }] });
      const turn = await session.prompt(words);
      await (await turn.permission()).answer("allow_once");
      await expect.poll(() => existsSync(started), { timeout: turnDeadlineMs }).toBe(true);
      await expect.poll(() => commandsOf(session), { timeout: turnDeadlineMs }).toContain("sleep 3607");
      return turn;
    },
  };
  return setting;
}

async function commandsOf(session: AgentSession): Promise<string[]> {
  return (await session.processes()).map(({ command }) => command);
}
