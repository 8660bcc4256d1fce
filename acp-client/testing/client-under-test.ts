// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AgentClient, OpenSessionParams } from "../agent-client.ts";
import type { AgentEvent, Done, Outcome } from "../agent-events.ts";
import { startAgent, type AgentOptions } from "../client.ts";
import { FakeAgent } from "./fake-agent.ts";

/** Events of the sink and calls of callbacks, in one order. */
export type Heard =
  | { readonly event: AgentEvent }
  | { readonly done: string; readonly outcome: Outcome<unknown> }
  | "batch end";

export interface ClientUnderTest {
  readonly agent: FakeAgent;
  readonly client: AgentClient;
  readonly heard: Heard[];
  /** Returns a callback that is recorded under a name. */
  readonly done: <T>(name: string) => Done<T>;
  readonly updates: () => unknown[];
  readonly faults: () => string[];
  readonly outcomes: (name: string) => Outcome<unknown>[];
  /** Fires the oldest timer and returns its delay. */
  readonly ring: () => number;
  readonly timers: { readonly ms: number; readonly run: () => void }[];
}

export const newSession: OpenSessionParams = { how: "new", cwd: "/work", additionalDirectories: [], mcpServers: [] };

/** Creates a client with a fake agent that has sent nothing yet. */
export function underTest(options: Partial<AgentOptions> = {}, react?: (event: AgentEvent) => void): ClientUnderTest {
  const agent = new FakeAgent();
  const heard: Heard[] = [];
  const timers: { ms: number; run: () => void }[] = [];
  const client = startAgent(
    {
      protocol: 1,
      command: ["agent", "--acp"],
      cwd: "/work",
      env: {},
      marker: { name: "MARK", value: "1" },
      clientInfo: { name: "agentd", version: "0.1.0" },
      start: () => agent,
      setTimer: (run, ms) => {
        const timer = { ms, run };
        timers.push(timer);
        return () => {
          if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
        };
      },
      ...options,
    },
    {
      onEvent: (event) => {
        heard.push({ event });
        react?.(event);
      },
      onBatchEnd: () => heard.push("batch end"),
    },
  );
  return {
    agent,
    client,
    heard,
    timers,
    done: (name) => (outcome) => heard.push({ done: name, outcome }),
    updates: () => events(heard).flatMap((event) => (event.type === "update" ? [event.update] : [])),
    faults: () => events(heard).flatMap((event) => (event.type === "fault" ? [event.fault] : [])),
    outcomes: (name) =>
      heard.flatMap((entry) => (entry !== "batch end" && "done" in entry && entry.done === name ? entry.outcome : [])),
    ring: () => {
      const timer = timers.shift();
      if (timer === undefined) throw new Error("No timer is set");
      timer.run();
      return timer.ms;
    },
  };
}

/** Returns a client after initialize, with these capabilities of the agent. */
export function initialized(agentCapabilities: object = {}, options: Partial<AgentOptions> = {}): ClientUnderTest {
  const test = underTest(options);
  test.client.initialize(test.done("initialize"));
  test.agent.say(test.agent.answer("initialize", { protocolVersion: 1, agentCapabilities, authMethods: [keyMethod] }));
  test.heard.length = 0;
  return test;
}

/** Returns a client whose session "s" is open. */
export function opened(
  agentCapabilities: object = {},
  session: object = {},
  options: Partial<AgentOptions> = {},
): ClientUnderTest {
  const test = initialized(agentCapabilities, options);
  test.client.open(newSession, test.done("open"));
  test.agent.say(test.agent.answer("session/new", { sessionId: "s", ...session }));
  test.heard.length = 0;
  return test;
}

export function update(sessionUpdate: string, members: object = {}, sessionId = "s"): object {
  return { jsonrpc: "2.0", method: "session/update", params: { sessionId, update: { sessionUpdate, ...members } } };
}

export function textChunk(text: string, sessionId = "s"): object {
  return update("agent_message_chunk", { content: { type: "text", text } }, sessionId);
}

export const keyMethod = { id: "key", name: "API key" };

/** Summarises what was recorded: message texts, event types, callback names, and "|" for the end of a batch. */
export function story(heard: readonly Heard[]): string[] {
  return heard.map((entry) => {
    if (entry === "batch end") return "|";
    if ("done" in entry) return `done ${entry.done}`;
    const { event } = entry;
    if (event.type !== "update") return event.type;
    const { update: told } = event;
    return told.kind === "message" ? String(told.content["text"]) : told.kind;
  });
}

function events(heard: readonly Heard[]): AgentEvent[] {
  return heard.flatMap((entry) => (entry !== "batch end" && "event" in entry ? entry.event : []));
}
