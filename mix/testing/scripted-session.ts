// SPDX-License-Identifier: MIT OR Apache-2.0
// A session of the scripted agentd: its entries, and the state that follows from them.
import type {
  ElicitationEntry,
  Entry,
  EntryContent,
  PermissionEntry,
  SessionPhase,
} from "../../agentd/vocabulary/entries.ts";
import type { ErrorBody } from "../../agentd/vocabulary/errors.ts";
import type { ListedElicitation, ListedPermission, SessionSnapshot } from "../../agentd/vocabulary/replies.ts";

export const logId = "logloglogaaa";

export class ScriptedSession {
  readonly id: string;
  readonly agent: string;
  readonly cwd: string;
  readonly name: string | undefined;
  readonly entries: Entry[] = [];
  readonly requests = new Map<string, ListedPermission>();
  readonly elicitations = new Map<string, ListedElicitation>();
  state: SessionPhase = "starting";
  error: ErrorBody | undefined;
  turns = 0;
  running: number | undefined;
  /** Overrides members of the snapshot. */
  shown: Partial<SessionSnapshot> = {};
  readonly #publish: (entries: readonly Entry[]) => void;

  constructor(args: Readonly<Record<string, unknown>>, id: string, publish: (entries: readonly Entry[]) => void) {
    this.id = id;
    this.agent = String(args["agent"]);
    this.cwd = typeof args["cwd"] === "string" ? args["cwd"] : "/tmp/fresh";
    this.name = args["name"] as string | undefined;
    this.#publish = publish;
  }

  /** Logs and publishes the entries as one batch. Returns the first `seq`. */
  append(...contents: EntryContent[]): number {
    const first = this.entries.length + 1;
    const added = contents.map((content, index) => {
      return { log: logId, session: this.id, seq: first + index, at: "2026-11-30T12:00:00.000Z", ...content };
    });
    this.entries.push(...added);
    for (const entry of added) this.#note(entry);
    this.#publish(added);
    return first;
  }

  text(turn: number, text: string, role: "agent" | "thought" = "agent"): void {
    this.append({
      kind: "message",
      turn,
      role,
      message_id: `m-${role}`,
      content: { type: "text", text },
      append: true,
    });
  }

  endTurn(turn: number, stopReason = "end_turn", rest: { error?: ErrorBody } = {}): void {
    this.append(
      { kind: "turn", turn, phase: "ended", stop_reason: stopReason, sent: true, ...rest },
      { kind: "state", state: "idle" },
    );
  }

  ask(turn: number, number: number, rest: Partial<PermissionEntry> = {}): void {
    this.append({
      kind: "permission",
      turn,
      request: `${this.id}-${number}`,
      phase: "requested",
      tool_call: { tool_call_id: "t1", title: "Write a.txt", tool_kind: "edit" },
      options: [
        { option: "yes", name: "Yes", kind: "allow_once" },
        { option: "no", name: "No", kind: "reject_once" },
      ],
      now: "2026-11-30T12:00:00.000Z",
      expires_at: "2026-11-30T12:10:00.000Z",
      notified: false,
      ...rest,
    });
  }

  /** Resolves a request as timed out. */
  runOut(turn: number, number: number, kind: "permission" | "elicitation" = "permission"): void {
    const request = `${this.id}-${number}`;
    const [outcome, over] = ["cancel", { turn, request, phase: "resolved", via: "timeout", by: null }] as const;
    if (kind === "elicitation") this.append({ kind, ...over, outcome });
    else this.append({ kind, ...over, outcome: "selected", option: "no" });
  }

  /** Resolves a permission request as cancelled by the agent. */
  takeBack(turn: number, number: number): void {
    const request = `${this.id}-${number}`;
    this.append({ kind: "permission", turn, request, phase: "resolved", outcome: "cancelled", via: "agent", by: null });
  }

  /** Asks a form with fields of four types: string, integer, boolean and array. */
  askForm(turn: number, number: number, rest: Partial<ElicitationEntry> = {}): void {
    this.append({
      kind: "elicitation",
      turn,
      request: `${this.id}-${number}`,
      phase: "requested",
      mode: "form",
      message: "Who are you?",
      schema: formSchema,
      now: "2026-11-30T12:00:00.000Z",
      expires_at: "2026-11-30T12:10:00.000Z",
      notified: false,
      ...rest,
    });
  }

  get snapshot(): SessionSnapshot {
    return {
      session: this.id,
      ...(this.name === undefined ? {} : { name: this.name }),
      agent: this.agent,
      cwd: this.cwd,
      state: this.state,
      turns: this.turns,
      created_at: "2026-11-30T12:00:00.000Z",
      updated_at: "2026-11-30T12:00:00.000Z",
      last_seq: this.entries.length,
      log: logId,
      cursor: `${logId}/${this.id}/${this.entries.length}`,
      ...(this.error === undefined ? {} : { error: this.error }),
      additional_dirs: [],
      agent_info: null,
      protocol_version: 1,
      capabilities: {},
      agent_session_id: null,
      running: this.running === undefined ? null : { turn: this.running, state: "running" },
      queued: [],
      options: [
        { option: "mode", name: "Mode", type: "select", value: "ask", choices: [{ value: "ask", name: "Ask" }] },
        { option: "loud", name: "Loud", type: "boolean", value: false },
      ],
      commands: [],
      plan: [],
      requests: [...this.requests.values(), ...this.elicitations.values()],
      usage: null,
      children: [],
      unanswered: { permissions: this.#unanswered("permission"), elicitations: this.#unanswered("elicitation") },
      ...this.shown,
    };
  }

  #unanswered(kind: "permission" | "elicitation"): number {
    return this.entries.filter((entry) => entry.kind === kind && entry.via === "timeout").length;
  }

  #note(entry: Entry): void {
    if (entry.kind === "state") {
      this.state = entry.state;
      this.error = entry.error;
    }
    if (entry.kind === "turn" && entry.phase === "started") this.running = entry.turn;
    if (entry.kind === "turn" && entry.phase === "ended") this.running = undefined;
    if (entry.kind === "elicitation") this.#noteElicitation(entry);
    if (entry.kind !== "permission") return;
    if (entry.phase === "changed") return;
    if (entry.phase !== "requested") this.requests.delete(entry.request);
    else {
      const { request, tool_call: tool = { tool_call_id: "t" }, options = [], expires_at: expires = null } = entry;
      const leftOut = entry.left_out === undefined ? {} : { left_out: entry.left_out };
      this.requests.set(request, {
        kind: "permission",
        request,
        session: this.id,
        tool_call: tool,
        options,
        asked_at: entry.at,
        expires_at: expires,
        ...leftOut,
      });
    }
  }

  #noteElicitation(entry: Entry & ElicitationEntry): void {
    const { request, phase, mode = "form", message = "", schema, url, expires_at: expires = null } = entry;
    if (phase !== "requested") this.elicitations.delete(request);
    else {
      const asked = { request, mode, message, schema, ...(url === undefined ? {} : { url }) };
      this.elicitations.set(request, {
        kind: "elicitation",
        session: this.id,
        ...asked,
        asked_at: entry.at,
        expires_at: expires,
      });
    }
  }
}

const formSchema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", description: "as you like it" },
    age: { type: "integer", default: 30 },
    polite: { type: "boolean" },
    days: {
      type: "array",
      items: {
        anyOf: [
          { const: "mon", title: "Monday" },
          { const: "tue", title: "Tuesday" },
        ],
      },
    },
  },
  required: ["name"],
};
