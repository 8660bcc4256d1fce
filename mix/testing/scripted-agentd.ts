// SPDX-License-Identifier: MIT OR Apache-2.0
// A citizen `agent` for tests: the verbs that mix calls, a log in memory, and a script instead of agents. Sessions,
// entries and pages have their real shapes.
import { done, refused, serveCitizen } from "../../bus-client/index.ts";
import type { Answer, BusClientOptions, Citizen, Request, Verb } from "../../bus-client/index.ts";
import type { ElicitationAction, Entry } from "../../agentd/vocabulary/entries.ts";
import type { ListedElicitation, ListedPermission } from "../../agentd/vocabulary/replies.ts";
import { logId, ScriptedSession } from "./scripted-session.ts";

export interface AgentdScript {
  /** Appends the entries of a turn. */
  readonly onPrompt?: (session: ScriptedSession, turn: number, prompt: string) => void;
  /** Runs instead of becoming idle. */
  readonly onStart?: (session: ScriptedSession) => void;
  readonly onAnswer?: (session: ScriptedSession, request: string, option: string | undefined) => void;
  readonly onCancel?: (session: ScriptedSession) => void;
  /** Fixed replies by verb. */
  readonly replies?: Readonly<Record<string, Answer>>;
  /** Publishes nothing, so that followers must read the log. */
  readonly mute?: boolean;
  /** Entries per page. Default: 1000. */
  readonly pageMax?: number;
}

/** The verb and arguments of a request. */
export type Asked = readonly [string, Readonly<Record<string, unknown>>];

export class ScriptedAgentd {
  readonly sessions = new Map<string, ScriptedSession>();
  readonly asked: Asked[] = [];
  readonly citizen: Citizen;
  readonly #script: AgentdScript;
  /** Requests `agent.session.wait` that are still open. */
  readonly #waits: {
    readonly until: readonly string[];
    readonly session: ScriptedSession;
    readonly request: Request;
  }[] = [];

  constructor(client: Omit<BusClientOptions, "name" | "onCommand">, script: AgentdScript = {}) {
    this.#script = script;
    this.citizen = serveCitizen({
      client,
      service: "agent",
      version: "0",
      description: "scripted",
      verbs: this.#verbs(),
    });
  }

  session(id: string): ScriptedSession {
    const found = this.sessions.get(id);
    if (found === undefined) throw new Error(`no session ${id}`);
    return found;
  }

  /** Adds a session that exists before the first request. */
  begin(id: string, args: Readonly<Record<string, unknown>> = { agent: "demo" }): ScriptedSession {
    const session = new ScriptedSession(args, id, (entries) => this.#publish(entries));
    this.sessions.set(id, session);
    session.append({ kind: "state", state: "starting", agent: session.agent, cwd: session.cwd });
    return session;
  }

  #publish(entries: readonly Entry[]): void {
    const [first] = entries;
    const last = entries.at(-1);
    if (first === undefined || last === undefined) return;
    this.#resolveWaits();
    if (this.#script.mute === true || this.citizen.client.state.kind !== "connected") return;
    const { log, session } = first;
    const body = entries.length === 1 ? first : { log, session, seq_from: first.seq, seq: last.seq, entries };
    this.citizen.client.publish("agent.session.updated", JSON.stringify(body));
  }

  #verbs(): Verb[] {
    const handlers: Record<string, (args: Record<string, unknown>, request: Request) => Answer | undefined> = {
      "agent.session.start": (args, request) => this.#start(args, request),
      "agent.session.prompt": (args) =>
        this.#withSession(args, (session) => this.#prompt(session, String(args["prompt"]))),
      "agent.session.cancel": (args) => this.#withSession(args, (session) => this.#cancel(session)),
      "agent.session.close": (args) => this.#withSession(args, (session) => this.#close(session)),
      "agent.session.rename": (args) =>
        this.#withSession(args, ({ id }) => done({ session: id, seq: 1, name: args["name"] })),
      "agent.session.set_config": (args) =>
        this.#withSession(args, ({ id, snapshot }) => done({ session: id, seq: 1, options: snapshot.options })),
      "agent.session.list": (args) => this.#list(args),
      "agent.session.get": (args) => this.#withSession(args, ({ snapshot }) => done(snapshot)),
      "agent.session.log": (args) => this.#withSession(args, (session) => done(this.#page(session, args))),
      "agent.session.wait": (args, request) => this.#wait(args, request),
      "agent.permission.list": (args) => this.#listOpen(args, ({ requests }) => requests),
      "agent.permission.answer": (args) => this.#answer(args),
      "agent.elicitation.list": (args) => this.#listOpen(args, ({ elicitations }) => elicitations),
      "agent.elicitation.answer": (args) => this.#answerElicitation(args),
      "agent.status": () => done(statusReply),
      "agent.list": () => done({ agents: [{ agent: "demo", command: ["demo"], installed: true, built_in: true }] }),
      ...Object.fromEntries(Object.entries(this.#script.replies ?? {}).map(([name, reply]) => [name, () => reply])),
    };
    return Object.entries(handlers).map(([name, handle]) => ({
      name,
      args: [],
      description: name,
      readOnly: false,
      handler: (request) => {
        this.asked.push([name, request.args]);
        return handle(request.args, request);
      },
    }));
  }

  #listOpen(
    { request }: Record<string, unknown>,
    of: (session: ScriptedSession) => ReadonlyMap<string, ListedPermission | ListedElicitation>,
  ): Answer {
    const requests = [...this.sessions.values()].flatMap((session) => [...of(session).values()]);
    return done({ requests: requests.filter((open) => request === undefined || open.request === request) });
  }

  #start(args: Record<string, unknown>, request: Request): Answer {
    if (args["agent"] !== "demo") return refused("AGENT_UNKNOWN", `no agent ${String(args["agent"])}`);
    const id = `sessionaaa${"abcdefghijklmnopqrstuvwxyz"[this.sessions.size] ?? "z"}a`;
    const session = this.begin(id, args);
    session.append({ kind: "command", verb: "agent.session.start", by: request.from, origin: "local", args: {} });
    const prompt = args["prompt"];
    const turn = typeof prompt === "string" ? (session.turns += 1) : undefined;
    // After the reply, as agentd does.
    setImmediate(() => {
      if (this.#script.onStart !== undefined) this.#script.onStart(session);
      else session.append({ kind: "state", state: "idle", agent_info: { name: "demo", version: "1" } });
      if (turn !== undefined) this.#run(session, turn, String(prompt));
    });
    return done({ session: id, seq: 1, state: "starting", ...(turn === undefined ? {} : { turn }) });
  }

  #prompt(session: ScriptedSession, prompt: string): Answer {
    const turn = (session.turns += 1);
    const seq = session.append({ kind: "command", verb: "agent.session.prompt", by: null, origin: "local", args: {} });
    setImmediate(() => this.#run(session, turn, prompt));
    return done({ session: session.id, seq, turn, queued: false });
  }

  #run(session: ScriptedSession, turn: number, prompt: string): void {
    session.append({ kind: "turn", turn, phase: "started" }, { kind: "state", state: "running" });
    this.#script.onPrompt?.(session, turn, prompt);
  }

  #cancel(session: ScriptedSession): Answer {
    const seq = session.append({ kind: "command", verb: "agent.session.cancel", by: null, origin: "local", args: {} });
    const turns = session.running === undefined ? [] : [session.running];
    this.#script.onCancel?.(session);
    return done({ session: session.id, seq, turns });
  }

  #close(session: ScriptedSession): Answer {
    const seq = session.append({ kind: "state", state: "closing", reason: "asked" });
    setImmediate(() => session.append({ kind: "state", state: "closed", reason: "asked" }));
    return done({ session: session.id, seq, state: "closing" });
  }

  #answer(args: Record<string, unknown>): Answer {
    const request = String(args["request"]);
    const session = [...this.sessions.values()].find((one) => one.requests.has(request));
    if (session === undefined) return refused("REQUEST_CLOSED", `${request} is closed`);
    const option = args["option"] as string | undefined;
    const seq = session.append({
      kind: "permission",
      turn: session.running ?? 1,
      request,
      phase: "resolved",
      outcome: option === undefined ? "cancelled" : "selected",
      ...(option === undefined ? {} : { option }),
      by: "mix-somebody",
    });
    setImmediate(() => this.#script.onAnswer?.(session, request, option));
    return done({
      session: session.id,
      seq,
      request,
      outcome: option === undefined ? "cancelled" : "selected",
      option,
    });
  }

  #answerElicitation(args: Record<string, unknown>): Answer {
    const request = String(args["request"]);
    const session = [...this.sessions.values()].find((one) => one.elicitations.has(request));
    if (session === undefined) return refused("REQUEST_CLOSED", `${request} is closed`);
    const outcome = args["action"] as ElicitationAction;
    const content = args["content"] as Record<string, unknown> | undefined;
    const given = content === undefined ? {} : { content };
    const turn = session.running ?? 1;
    const seq = session.append({
      kind: "elicitation",
      turn,
      request,
      phase: "resolved",
      outcome,
      ...given,
      by: "mix-x",
    });
    setImmediate(() => this.#script.onAnswer?.(session, request, outcome));
    return done({ session: session.id, seq, request, outcome });
  }

  #list(args: Record<string, unknown>): Answer {
    const states = args["state"] as string[] | undefined;
    const sessions = [...this.sessions.values()].map(({ snapshot }) => snapshot);
    return done({ sessions: sessions.filter(({ state }) => states === undefined || states.includes(state)) });
  }

  #page(session: ScriptedSession, args: Record<string, unknown>): object {
    const given = args["after"] ?? 0;
    const after = typeof given === "string" ? Number(given.split("/")[2]) : Number(given);
    const kinds = args["kinds"] as string[] | undefined;
    const before = Number(args["before"] ?? Infinity);
    const wanted = session.entries.filter(
      ({ seq, kind, turn }) =>
        seq > after &&
        seq < before &&
        (kinds?.includes(kind) ?? true) &&
        (args["turn"] === undefined || turn === args["turn"]),
    );
    const entries = wanted.slice(0, this.#script.pageMax ?? 1000);
    const last = entries.at(-1)?.seq ?? after;
    const next = entries.length < wanted.length ? { next: `${logId}/${session.id}/${last}` } : {};
    return { log: logId, session: session.id, entries, last_seq: session.entries.length, ...next };
  }

  #wait(args: Record<string, unknown>, request: Request): Answer | undefined {
    return this.#withSession(args, (session) => {
      this.#waits.push({ until: args["until"] as string[], session, request });
      const timedOut = { session: session.id, state: session.state, last_seq: session.entries.length, timed_out: true };
      setTimeout(() => request.reply(done(timedOut)), args["timeout_ms"] as number).unref();
      this.#resolveWaits();
      return undefined;
    });
  }

  #resolveWaits(): void {
    for (const wait of this.#waits) {
      const { state, id, error, entries } = wait.session;
      const met = ["closed", "lost", "failed"].includes(state) ? "ended" : state;
      if (!wait.until.includes(met)) continue;
      wait.request.reply(done({ session: id, state, error, last_seq: entries.length, until: met, timed_out: false }));
    }
  }

  #withSession(
    args: Record<string, unknown>,
    run: (session: ScriptedSession) => Answer | undefined,
  ): Answer | undefined {
    const reference = String(args["session"]);
    const found = [...this.sessions.values()].find(({ id, name }) => id === reference || name === reference);
    const session = found ?? [...this.sessions.values()].find(({ id }) => id.startsWith(reference));
    return session === undefined ? refused("SESSION_UNKNOWN", `no session ${reference}`) : run(session);
  }
}

const statusReply = {
  pid: process.pid,
  version: "0",
  started_at: "2026-11-30T12:00:00.000Z",
  bus: { url: "ws+unix:///x:/ws", embedded: true, state: "connected", generation: 1 },
  log: { id: logId, file: "/tmp/log.db", bytes: 200 * 1024 },
  config: { file: "/tmp/agentd.toml", loaded: false },
  limits: [{ name: "waitsMax", value: 256, unit: "count", description: "waits at a time" }],
  sessions: { live: 0, max: 8 },
};
