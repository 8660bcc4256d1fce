// SPDX-License-Identifier: MIT OR Apache-2.0
// Drives a session step by step in tests: takes inputs, keeps the state and collects entries, effects and replies.
import type { AgentIdentity } from "../../../../acp-client/model.ts";
import type { EntryContent, ErrorBody, Verb, VerbArguments } from "../../../vocabulary/index.ts";
import { corePorts } from "../../core-ports.ts";
import type { Command, StepContext, Effect, Reply, SessionCommand, SessionInput, SessionEvent } from "../input.ts";
import { startSession } from "../start.ts";
import type { SessionState } from "../state.ts";
import { step } from "../step.ts";

type SessionSettings = StepContext["settings"] & StepContext["limits"];

export const testSettings: SessionSettings = {
  maxSessions: 8,
  permissionTimeoutMs: 600_000,
  idleTimeoutMs: 1_800_000,
  cancelForceMs: 10_000,
  drainTimeoutMs: 10_000,
  leftSessionMs: 600_000,
  modelSilenceMs: 20_000,
  queuedPromptsMax: 32,
  openRequestsMax: 64,
  openToolCallsMax: 1024,
  extensionBytesMax: 65_536,
  policies: new Map(),
  fileBytesMax: 1_000_000,
  terminalsMax: 4,
  busTools: false,
};

export const testIdentity: AgentIdentity = {
  protocolVersion: 1,
  info: { name: "test", version: "1" },
  capabilities: {
    load: false,
    resume: false,
    list: false,
    close: false,
    delete: false,
    additionalDirectories: false,
    logout: false,
    promptImage: false,
    promptAudio: false,
    promptEmbeddedContext: false,
    mcpHttp: false,
    mcpSse: false,
    steering: false,
  },
  authMethods: [],
};

type WithoutSession<A> = A extends unknown ? Omit<A, "session"> : never;

export class SessionScript {
  state: SessionState;
  readonly entries: EntryContent[] = [];
  readonly effects: Effect[] = [];
  readonly replies: Reply[] = [];
  readonly refusals: ErrorBody[] = [];
  readonly settings: SessionSettings;
  now = Date.UTC(2026, 0, 1);
  people: StepContext["people"] = "off";
  #caller = 1;

  constructor(start: Partial<VerbArguments<"agent.session.start">> = {}, settings: Partial<SessionSettings> = {}) {
    this.settings = { ...testSettings, ...settings };
    const args = { agent: "test", additional_dirs: [], config: {}, mcp_servers: [], env: [], ...start };
    const command = this.#command<"agent.session.start">("agent.session.start", args);
    const session = {
      id: "aaaaaaaaaaaa",
      agent: "test",
      cwd: "/work",
      additionalDirs: [],
      env: [],
      ...(args.policy === undefined ? {} : { policy: args.policy }),
      createdAt: new Date(this.now).toISOString(),
    };
    const decision = startSession(command, session, this.context());
    if (decision.refusal) throw new Error(decision.refusal.message);
    this.state = decision.state;
    this.entries.push(...decision.entries);
    this.effects.push(...decision.effects);
    this.replies.push(...decision.replies);
  }

  context(): StepContext {
    return { now: this.now, settings: this.settings, limits: this.settings, people: this.people, ports: corePorts };
  }

  /** Returns the entries that the input added; none when it was refused. */
  put(input: SessionInput): readonly EntryContent[] {
    const decision = step(this.state, input, this.context());
    if (decision.refusal) {
      this.refusals.push(decision.refusal);
      return [];
    }
    this.state = decision.state;
    this.entries.push(...decision.entries);
    this.effects.push(...decision.effects);
    this.replies.push(...decision.replies);
    return decision.entries;
  }

  up(
    options: Parameters<typeof option>[] = [],
    offers: Partial<AgentIdentity["capabilities"]> = {},
  ): readonly EntryContent[] {
    const opened = { sessionId: "its-own", options: options.map((each) => option(...each)) };
    const capabilities = { ...testIdentity.capabilities, ...offers };
    return this.put({ type: "opened", identity: { ...testIdentity, capabilities }, opened });
  }

  command<V extends SessionCommand["verb"]>(verb: V, args: WithoutSession<VerbArguments<V>>): readonly EntryContent[] {
    const command = this.#command(verb, { session: this.state.id, ...args } as unknown as VerbArguments<V>);
    return this.put({ type: "command", command: command as unknown as SessionCommand });
  }

  prompt(text: string, whenBusy: "refuse" | "queue" | "steer" = "refuse"): readonly EntryContent[] {
    return this.command("agent.session.prompt", { prompt: text, when_busy: whenBusy });
  }

  cancel(turn?: number): readonly EntryContent[] {
    return this.command("agent.session.cancel", turn === undefined ? {} : { turn });
  }

  resume(fresh: boolean): readonly EntryContent[] {
    const command = this.#command("agent.session.resume", { session: this.state.id, fresh });
    return this.put({ type: "resume", command, directories: { cwd: "/work", additionalDirs: [] } });
  }

  says(event: SessionEvent): readonly EntryContent[] {
    return this.put({ type: "agent", event });
  }

  text(text: string, role: "agent" | "user" | "thought" = "agent"): readonly EntryContent[] {
    return this.says({
      type: "update",
      update: { kind: "message", role, append: true, content: { type: "text", text } },
    });
  }

  tool(toolCallId: string, status?: string): readonly EntryContent[] {
    const call = { toolCallId, ...(status === undefined ? {} : { status }) };
    return this.says({ type: "update", update: { kind: "tool_call", call } });
  }

  asks(
    request: number,
    toolCallId = "tool",
    kinds: readonly string[] = ["allow_once", "reject_once"],
  ): readonly EntryContent[] {
    const options = kinds.map((kind, index) => ({ optionId: `${kind}-${index}`, name: kind, kind }));
    return this.says({ type: "permission", request, toolCall: { toolCallId, title: "do it" }, options });
  }

  answered(turn: number, stopReason = "end_turn"): readonly EntryContent[] {
    return this.put({ type: "prompt_done", turn, outcome: { ok: true, value: { stopReason } } });
  }

  exits(code = 0): readonly EntryContent[] {
    return this.says({ type: "exited", exit: { code, signal: null }, stderrTail: "" });
  }

  #command<V extends Verb>(verb: V, args: VerbArguments<V>): Command<V> {
    this.#caller += 1;
    return { verb, args, by: "tester", origin: "local", caller: this.#caller, redactedArgs: {} };
  }
}

export function option(name: string, value: string, ...values: string[]) {
  const choices = [value, ...values].map((each) => ({ value: each, name: each }));
  return { option: name, name, type: "select" as const, value, choices };
}
