// SPDX-License-Identifier: MIT OR Apache-2.0
// What is known of a session: the value that `step` moves. Never changed in place, so that a commit that fails can be
// dropped with the states that were decided upon it.
import type { Elicitation } from "../../../acp-client/model.ts";
import type {
  AgentInfo,
  ContentBlock,
  ElicitationAction,
  ElicitationEntry,
  PermissionChoice,
  ResolvedVia,
  ResumeMethod,
  SessionOption,
  SessionPhase,
  ToolCallFields,
} from "../../vocabulary/entries.ts";
import type { ErrorBody } from "../../vocabulary/errors.ts";
import type { MeasuredFields } from "./bounded-fields.ts";
import { type RequestMember, type KnownCalls, noCalls } from "./tools/known-calls.ts";
import { emptyLedger, type ToolLedger } from "./tools/tool-ledger.ts";

/** What a session is from its birth. */
export interface NewSession {
  readonly id: string;
  readonly agent: string;
  readonly name?: string;
  readonly cwd: string;
  readonly additionalDirs: readonly string[];
  readonly parent?: string;
  /** Names of variables that a start passes on. */
  readonly env: readonly string[];
  /** The name of the policy that may answer its permissions. */
  readonly policy?: string;
  readonly createdAt: string;
}

export interface SessionState extends NewSession {
  /** Of the last entry. */
  readonly seq: number;
  readonly run: Run;
  /** `seq` of the entry that began this life, as a rule a command: what an agent of an earlier one still says does not concern it. */
  readonly runSeq: number;
  /** Who began this life, as the broker stamped it: what agents began counts to what they may have together. */
  readonly startedBy: string | null;
  /** The number of the last turn that was accepted. */
  readonly turns: number;
  /** The turn that was begun last; 0 before the first. */
  readonly lastTurn: number;
  readonly queue: readonly QueuedTurn[];
  readonly agentSide: AgentSide | null;
  readonly options: readonly SessionOption[];
  /** Permissions and elicitations that wait for somebody. */
  readonly requests: readonly PendingRequest[];
  /** Resolved, and the frame that tells the agent is not yet known to be written. */
  readonly unsent: readonly Pick<PendingRequest, "request" | "kind">[];
  readonly closedRequests: readonly ClosedRequest[];
  readonly requestCount: number;
  readonly tools: ToolLedger;
  /** What the agent has said of its newest tool calls. */
  readonly calls: KnownCalls;
  /** The agent's last message, when the next chunk may belong to it; null also where it has an id of its own. */
  readonly openMessage: OpenMessage | null;
  /** The agent knows nothing of what was said before: it is told with the next prompt. */
  readonly transcriptOwed: boolean;
  /** Its policy was missed in the configuration, and that was said. */
  readonly policyGoneReported: boolean;
  readonly writes: readonly IntendedWrite[];
  /** Also of the life before, until their end is known. */
  readonly terminals: readonly OpenTerminal[];
  /** When its first turn in this life ends, it is looked whether the agent has come to the Bus by its MCP server. */
  readonly busToolsCheckDue: boolean;
  /** Commands that are answered when done. */
  readonly pending: readonly PendingCommand[];
}

export type Run =
  /** `config`: options still to be set before the session is usable. */
  | {
      readonly phase: "starting";
      readonly openMode: OpenMode;
      readonly config: readonly ChosenOption[];
      /** The agent has come up by this way, and its options are being set. */
      readonly resumed?: ResumeMethod;
    }
  | { readonly phase: "idle" }
  | { readonly phase: "turn"; readonly turn: RunningTurn }
  /** The turn was ended by force; the agent still owes its answer, and until then nothing can be sent. */
  | { readonly phase: "draining"; readonly turn: number }
  /** Its agent is being ended. With an error its start has failed, and it is `failed` when the agent is gone; else `closed`. */
  | { readonly phase: "closing"; readonly reason: string; readonly error?: ErrorBody }
  | {
      readonly phase: "ended";
      readonly state: "closed" | "lost" | "failed";
      readonly reason?: string;
      readonly error?: ErrorBody;
    };

/** The name of an option of the agent, and the value that it was given. */
export type ChosenOption = readonly [string, string | boolean];

/** A session of its agent that is new, one that the agent is to bring back, or a new one in the place of an old. */
export type OpenMode = "new" | "restore" | "fresh";

export interface RunningTurn {
  readonly turn: number;
  readonly cancelling: boolean;
  /** Of the prompt's text, what the agent has not echoed yet. */
  readonly echo: string;
}

export interface QueuedTurn {
  readonly turn: number;
  readonly blocks: readonly ContentBlock[];
}

export interface AgentSide {
  readonly sessionId: string;
  readonly info: AgentInfo | null;
  readonly protocolVersion: number;
  readonly capabilities: Readonly<Record<string, boolean>>;
}

export type PendingRequest = PendingPermission | PendingElicitation;

interface PendingHead {
  readonly request: string;
  /** The client's own name for it; null after a restart. */
  readonly key: number | null;
  readonly turn?: number;
  readonly askedAt: string;
  readonly expiresAt: string | null;
  /** People are asked by the service `notify`, and have to be told when it is over. */
  readonly askedPeople?: true;
  /** The agent asks it under this session id, which was never opened here: a sub-agent's. */
  readonly agentSession?: string;
}

export interface PendingPermission extends PendingHead {
  readonly kind: "permission";
  /** The tool call's key in `calls`. */
  readonly callKey: string;
  /** The tool call as it is known now, measured once: it is listed as often as somebody asks. */
  readonly listed: MeasuredFields<ToolCallFields>;
  /** Members of the tool call that are not held, as they are too long; the log has them. */
  readonly omitted: readonly string[];
  /** Members that the agent has changed since it asked, and by how many updates. */
  readonly changed: readonly RequestMember[];
  readonly edition: number;
  readonly options: readonly PermissionChoice[];
  /** UTF-8 bytes of the options as JSON. */
  readonly optionsBytes: number;
}

export interface PendingElicitation extends PendingHead {
  readonly kind: "elicitation";
  readonly elicitation: Elicitation;
  /** As it is listed, measured once. */
  readonly listed: MeasuredFields<ElicitationFields>;
}

/** As entries and replies carry it. */
export type ElicitationFields = Pick<
  ElicitationEntry,
  "message" | "schema" | "url" | "elicitation_id" | "tool_call_id"
> & {
  readonly mode: "form" | "url";
};

export interface ClosedRequest {
  readonly request: string;
  readonly outcome: "selected" | "cancelled" | ElicitationAction;
  readonly option?: string;
  readonly by: string | null;
  readonly via?: ResolvedVia;
}

export interface OpenMessage {
  readonly role: string;
  readonly id: string;
}

/** Names an open request of an agent; unique in one agentd. Null: nobody is left to answer. */
export type RequestKey = number | null;

/** A write that is in the log and may be under way. */
export interface IntendedWrite {
  readonly seq: number;
  readonly key: RequestKey;
  readonly path: string;
  readonly bytes: number;
  readonly turn?: number;
}

export interface OpenTerminal {
  /** Named for its first entry: no later agentd makes the name again. */
  readonly terminal: string;
  readonly turn?: number;
  readonly exited: boolean;
  /** Its agent may name it no longer, and it is being ended. */
  readonly released: boolean;
}

/** Stands for whoever waits for a reply. */
export type CallerToken = number;

export interface PendingCommand {
  readonly seq: number;
  readonly verb: string;
  readonly commandId?: string;
  readonly caller: CallerToken | null;
}

export function newSession(session: NewSession): SessionState {
  return {
    ...session,
    seq: 0,
    runSeq: 0,
    startedBy: null,
    run: { phase: "starting", openMode: "new", config: [] },
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
    transcriptOwed: false,
    policyGoneReported: false,
    writes: [],
    terminals: [],
    busToolsCheckDue: false,
    pending: [],
  };
}

/** The state that people see. */
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

/** By its client side: a cancelled turn is served until its end, since agents clean up; a session that is ending is not. */
export function isServed({ run }: SessionState): boolean {
  return run.phase !== "closing" && run.phase !== "ended";
}

/** The turn that messages belong to now, and whether it has ended. */
export function currentTurn(state: SessionState): { readonly turn?: number; readonly late?: true } {
  if (state.run.phase === "turn") return { turn: state.run.turn.turn };
  return state.lastTurn > 0 ? { turn: state.lastTurn, late: true } : {};
}

/** Where the later entries of what began in that turn belong: it stays its own. */
export function turnMembers(
  state: SessionState,
  turn: number | undefined,
): { readonly turn?: number; readonly late?: true } {
  if (turn === undefined) return {};
  const now = currentTurn(state);
  return now.late === true || now.turn !== turn ? { turn, late: true } : { turn };
}
