// SPDX-License-Identifier: MIT OR Apache-2.0
// The state of one session, which `step` turns into the next. It is immutable: when a commit fails, the states decided
// on top of it are dropped and this one still stands.
import type { Elicitation, RequestAnswer } from "../../../acp-client/model.ts";
import type {
  AgentInfo,
  ContentBlock,
  EndedPhase,
  PermissionChoice,
  ResolvedVia,
  ResumeMethod,
  SessionOption,
  SessionPhase,
  ToolCallFields,
} from "../../vocabulary/entries.ts";
import type { ErrorBody } from "../../vocabulary/errors.ts";
import type { Cost } from "../../vocabulary/usage.ts";
import type { AgentSigns } from "./agent-signs.ts";
import { type RequestMember, type KnownCalls, noCalls } from "./tools/known-calls.ts";
import { emptyLedger, type ToolLedger } from "./tools/tool-ledger.ts";

/** The facts about a session that its start fixes. */
export interface NewSession {
  readonly id: string;
  readonly agent: string;
  /** The program and arguments of an agent that is not in the catalogue. */
  readonly command?: readonly [string, ...string[]];
  readonly name?: string;
  readonly cwd: string;
  readonly additionalDirs: readonly string[];
  readonly parent?: string;
  /** Names of environment variables passed to the agent at each start. */
  readonly env: readonly string[];
  /** The policy that may answer its permission requests, by its name in the configuration. */
  readonly policy?: string;
  readonly createdAt: string;
}

export interface SessionState extends NewSession {
  /** `seq` of the session's last entry. */
  readonly seq: number;
  readonly run: Run;
  /** `seq` of the entry that began this run. Inputs from an earlier run's agent carry another and are ignored. */
  readonly runSeq: number;
  /** The editor that was the last to leave, and when, in milliseconds; null if there was none or the session was used since. */
  readonly left: { readonly citizen: string; readonly at: number } | null;
  /** Who began this run, as the broker stamped it. Sessions that agents begin have a common limit. */
  readonly startedBy: string | null;
  /** Number of the last accepted turn. */
  readonly turns: number;
  /** Number of the last turn that was started; 0 before the first. */
  readonly lastTurn: number;
  readonly queue: readonly QueuedTurn[];
  readonly agentSide: AgentSide | null;
  readonly options: readonly SessionOption[];
  /** Pending permissions and elicitations, oldest first. */
  readonly requests: readonly PendingRequest[];
  /** Resolved requests whose answer is not yet known to have been written to the agent. */
  readonly unsent: readonly Pick<PendingRequest, "request" | "kind">[];
  readonly closedRequests: readonly ClosedRequest[];
  readonly requestCount: number;
  readonly tools: ToolLedger;
  /** The newest tool calls, as the agent has described them. */
  readonly calls: KnownCalls;
  /** The agent's last message, if it has no id and the next chunk may still belong to it. */
  readonly openMessage: OpenMessage | null;
  /** What the agent's session has cost: as last reported, and as far as ended turns have it. */
  readonly cost: { readonly reported: Cost | null; readonly counted: Cost | null };
  /** The agent does not know the conversation, so the next prompt is sent with the transcript. */
  readonly transcriptOwed: boolean;
  /** The log already says that the session's policy is missing from the configuration. */
  readonly policyGoneReported: boolean;
  /** The session's policy does not answer in the turn that was started last, and after its end. */
  readonly alwaysAsk: boolean;
  readonly writes: readonly IntendedWrite[];
  /** Includes terminals of an earlier run until their end is known. */
  readonly terminals: readonly OpenTerminal[];
  /** Whether to check, when this run's first turn ends, that the agent has started the MCP server for the Bus. */
  readonly busToolsCheckDue: boolean;
  /** Accepted commands that are replied to on completion. */
  readonly pending: readonly PendingCommand[];
}

export type Run =
  /** `config`: options of the start still to be set before the session is usable. */
  | {
      readonly phase: "starting";
      readonly openMode: OpenMode;
      readonly config: readonly ChosenOption[];
      /** What becomes of the session if its agent does not come up. */
      readonly failsAs: EndedPhase;
      /** Present once the agent has restored its session; its options are being set. */
      readonly resumed?: ResumeMethod;
    }
  | { readonly phase: "idle" }
  | { readonly phase: "turn"; readonly turn: RunningTurn }
  /**
   * Nothing can be sent until the agent answers: the prompt of a turn that was ended by force, or what becomes of a prompt
   * that it was to take into a turn which has ended meanwhile.
   */
  | { readonly phase: "draining"; readonly turn: number }
  /** The agent is being stopped. With an error it did not come up. */
  | { readonly phase: "closing"; readonly becomes: EndedPhase; readonly reason: string; readonly error?: ErrorBody }
  | {
      readonly phase: "ended";
      readonly state: EndedPhase;
      readonly reason?: string;
      readonly error?: ErrorBody;
    };

/** Name and value of an agent's option that somebody has set. */
export type ChosenOption = readonly [string, string | boolean];

/** Opens a new agent session, restores the old one, or opens a `fresh` one that is sent the transcript. */
export type OpenMode = "new" | "restore" | "fresh";

export interface RunningTurn {
  readonly turn: number;
  /** Who prompted it, as the broker stamped it. */
  readonly by: string | null;
  readonly cancelling: boolean;
  /** The part of the prompt's text that the agent has not echoed yet. */
  readonly echo: string;
  /** When the model or a tool last did something, or a person answered, in milliseconds since the epoch. */
  readonly activeAt: number;
  /** The log says that the model is silent. */
  readonly isSilent: boolean;
  /** What the agent has told of failures in this turn. */
  readonly signs: AgentSigns;
}

export interface QueuedTurn {
  readonly turn: number;
  readonly by: string | null;
  /** In this turn people are asked, whatever the session's policy says. */
  readonly alwaysAsk?: true;
  readonly blocks: readonly ContentBlock[];
  /** The agent was asked to take it into its running turn, and has not answered. */
  readonly steering?: true;
}

export interface AgentSide {
  readonly sessionId: string;
  readonly info: AgentInfo | null;
  readonly protocolVersion: number;
  readonly capabilities: Readonly<Record<string, boolean>>;
  /** When the agent last opened the session, in milliseconds, and whether by session/load. */
  readonly openedAt: number;
  readonly wasLoaded: boolean;
}

export type PendingRequest = PendingHead & RequestDetails;

/** What a request asks, by its kind. */
export type RequestDetails = PermissionDetails | ElicitationDetails;

interface PendingHead {
  readonly request: string;
  /** The ACP client's number for the request; null after a restart, when there is no agent to answer. */
  readonly key: number | null;
  readonly turn?: number;
  readonly askedAt: string;
  readonly expiresAt: string | null;
  /** The service `notify` shows the request and must be told when it ends. */
  readonly askedPeople?: true;
  /** The agent session that asks, when it is not the one opened here: a sub-agent's. */
  readonly agentSession?: string;
}

export type PendingPermission = PendingHead & PermissionDetails;

interface PermissionDetails {
  readonly kind: "permission";
  /** Key of the tool call in `calls`. */
  readonly callKey: string;
  readonly toolCall: ToolCallFields;
  /** What the tool call is called that started the sub-agent which asks. */
  readonly subAgent?: string;
  /** Members of the tool call that are too long to hold here; the log has them. */
  readonly omitted: readonly string[];
  /** Members that the agent has changed since it asked. */
  readonly changed: readonly RequestMember[];
  /** Number of updates that changed them. */
  readonly edition: number;
  readonly options: readonly PermissionChoice[];
}

export interface ElicitationDetails {
  readonly kind: "elicitation";
  readonly elicitation: Elicitation;
}

export interface ClosedRequest {
  readonly request: string;
  readonly outcome: RequestAnswer["outcome"];
  readonly option?: string;
  readonly by: string | null;
  readonly via?: ResolvedVia;
}

export interface OpenMessage {
  readonly role: string;
  readonly id: string;
}

/** Number of a client-side request, unique within one agentd; null when there is no agent to answer. */
export type RequestKey = number | null;

/** A write that the log announces and that may be in progress. */
export interface IntendedWrite {
  readonly seq: number;
  readonly key: RequestKey;
  readonly path: string;
  readonly bytes: number;
  readonly turn?: number | undefined;
  /** The editor that is asked to write it; absent: agentd itself. */
  readonly citizen?: string;
}

export interface OpenTerminal {
  /** Derived from the `seq` of its first entry, so that no later agentd reuses it. */
  readonly terminal: string;
  readonly turn?: number | undefined;
  readonly exited: boolean;
  /** The agent may no longer name it, and its process is being ended. */
  readonly released: boolean;
}

/** Identifies a caller that waits for a reply. */
export type CallerToken = number;

export interface PendingCommand {
  readonly seq: number;
  readonly verb: string;
  readonly commandId?: string;
  readonly caller: CallerToken | null;
}

export const noCost: SessionState["cost"] = { reported: null, counted: null };

export function newSession(session: NewSession): SessionState {
  return {
    ...session,
    seq: 0,
    runSeq: 0,
    left: null,
    startedBy: null,
    run: { phase: "starting", openMode: "new", config: [], failsAs: "failed" },
    turns: 0,
    lastTurn: 0,
    queue: [],
    agentSide: null,
    options: [],
    requests: [],
    unsent: [],
    closedRequests: [],
    requestCount: 0,
    tools: emptyLedger,
    calls: noCalls,
    openMessage: null,
    cost: noCost,
    transcriptOwed: false,
    policyGoneReported: false,
    alwaysAsk: false,
    writes: [],
    terminals: [],
    busToolsCheckDue: false,
    pending: [],
  };
}

/** Returns the state that people see: a turn or an idle session with a pending request is `waiting`. */
export function phaseOf(state: SessionState): SessionPhase {
  switch (state.run.phase) {
    case "starting":
    case "closing":
      return state.run.phase;
    case "idle":
      return state.requests.length > 0 ? "waiting" : "idle";
    case "turn":
      return state.requests.length > 0 ? "waiting" : "running";
    case "draining":
      return "running";
    case "ended":
      return state.run.state;
  }
}

export function isLive(state: SessionState): boolean {
  return state.run.phase !== "ended";
}

/**
 * Returns whether client-side requests (files, terminals) are served. They are during a cancelled turn, because agents
 * clean up, but not once the session is ending.
 */
export function isServed({ run }: SessionState): boolean {
  return run.phase !== "closing" && run.phase !== "ended";
}

/** Returns the turn that new messages belong to; `late` when that turn has ended. */
export function currentTurn(state: SessionState): { readonly turn?: number; readonly late?: true } {
  if (state.run.phase === "turn") return { turn: state.run.turn.turn };
  return state.lastTurn > 0 ? { turn: state.lastTurn, late: true } : {};
}

/** Places a later entry in the turn in which its subject began; `late` when that turn has ended. */
export function turnMembers(
  state: SessionState,
  turn: number | undefined,
): { readonly turn?: number; readonly late?: true } {
  if (turn === undefined) return {};
  const now = currentTurn(state);
  return now.late === true || now.turn !== turn ? { turn, late: true } : { turn };
}
