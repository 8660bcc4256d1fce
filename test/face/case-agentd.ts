// SPDX-License-Identifier: MIT OR Apache-2.0
// A citizen `agent` for the cases: what only reads is answered at once, and each other command waits until the case
// accepts or refuses it. It logs and publishes what agentd does.
import { done, refused, serveCitizen } from "../../bus-client/index.ts";
import type { Answer, BusClientOptions, Citizen, Request } from "../../bus-client/index.ts";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import { type Entry, type EntryContent, topic } from "../../agentd/vocabulary/entries.ts";
import { verbs } from "../../agentd/vocabulary/verbs.ts";
import { logId, ScriptedSession } from "../../mix/testing/scripted-session.ts";

type Args = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly verb: string;
  readonly args: Args;
  readonly request: Request;
}

/** Sessions in the order in which they are started. */
const newSessions = ["sessiononeaa", "sessiontwoaa", "sessionthree"];

export class CaseAgentd {
  readonly asked = new Inbox<Asked>();
  readonly sessions = new Map<string, ScriptedSession>();
  readonly citizen: Citizen;
  /** Names that its commands were stamped with. */
  readonly callers = new Set<string | null>();
  /** Accepts every command from now on. */
  acceptsAll = false;
  #isMuted = false;
  #started = 0;

  constructor(client: Omit<BusClientOptions, "name" | "onCommand">) {
    const read: Readonly<Record<string, (args: Args) => Answer>> = {
      "agent.list": () =>
        done({ agents: [{ agent: "demo", title: "Demo", command: ["demo"], installed: true, built_in: true }] }),
      "agent.session.get": (args) => this.#of(args, (session) => done(session.snapshot)),
      "agent.session.log": (args) => this.#of(args, (session) => done(page(session, args))),
    };
    const handler = (request: Request): Answer | undefined => {
      const { verb, args } = request;
      this.callers.add(request.from);
      const reading = read[verb];
      if (reading !== undefined) return reading(args);
      if (this.acceptsAll) return this.accept({ verb, args, request }, {});
      this.asked.push({ verb, args, request });
      return undefined;
    };
    this.citizen = serveCitizen({
      client,
      service: "agent",
      version: "0",
      description: "scripted",
      verbs: verbs.map((name) => ({ name, args: [], description: name, readOnly: name in read, handler })),
    });
  }

  begin(id: string, args: Args): ScriptedSession {
    const session = new ScriptedSession(args, id, (entries) => this.#publish(entries));
    this.sessions.set(id, session);
    return session;
  }

  session(id: string): ScriptedSession {
    const found = this.sessions.get(id);
    if (found === undefined) throw new Error(`no session ${id}`);
    return found;
  }

  /** Logs the entries as one batch. Unpublished ones are in the log alone. */
  append(id: string, entries: readonly EntryContent[], isPublished = true): void {
    const session = this.session(id);
    this.#isMuted = !isPublished;
    session.append(...entries);
    this.#isMuted = false;
    for (const entry of entries) {
      if (entry.kind === "turn") session.turns = Math.max(session.turns, entry.turn);
      if (entry.kind === "options") session.shown = { ...session.shown, options: entry.options };
      if (entry.kind === "info" && entry.title) session.shown = { ...session.shown, title: entry.title };
      if (entry.kind === "state" && entry.additional_dirs)
        session.shown = { ...session.shown, additional_dirs: entry.additional_dirs };
      if (entry.kind === "state" && entry.agent_session_id)
        session.shown = { ...session.shown, agent_session_id: entry.agent_session_id };
    }
  }

  publishAgain(id: string, seqs: readonly number[]): void {
    for (const seq of seqs) this.#publish(this.session(id).entries.slice(seq - 1, seq));
  }

  /** Does what agentd does when it accepts the command, and returns its reply. */
  accept(asked: Asked, overrides: unknown): Answer {
    if (typeof overrides !== "object" || overrides === null) return { rc: 0, body: JSON.stringify(overrides) };
    if (asked.verb === "agent.session.start") return this.#start(asked, overrides);
    if (asked.verb === "agent.session.list") return done({ sessions: [], ...overrides });
    return this.#of(asked.args, (session) => done({ ...this.#effect(session, asked, overrides), ...overrides }));
  }

  #start(asked: Asked, overrides: object): Answer {
    const id = newSessions[this.#started] ?? `session${this.#started}`;
    this.#started += 1;
    const { agent, cwd } = asked.args;
    this.begin(id, asked.args);
    this.append(id, [
      commandEntry(asked),
      { kind: "state", state: "starting", agent: String(agent), cwd: String(cwd) },
    ]);
    return done({ session: id, seq: 1, state: "starting", ...overrides });
  }

  #effect(session: ScriptedSession, asked: Asked, overrides: object): object {
    const { id } = session;
    const seq = session.entries.length + 1;
    switch (asked.verb) {
      case "agent.session.prompt": {
        const turn = (session.turns += 1);
        this.append(id, [
          commandEntry(asked),
          { kind: "turn", turn, phase: "started" },
          ...promptEntries(turn, asked.args),
          { kind: "state", state: "running" },
        ]);
        return { session: id, seq, turn, queued: false };
      }
      case "agent.session.cancel":
        this.append(id, [commandEntry(asked)]);
        return { session: id, seq, turns: [asked.args["turn"]] };
      case "agent.session.set_config": {
        this.append(id, [commandEntry(asked)]);
        const { options } = { options: session.snapshot.options, ...overrides };
        this.append(id, [{ kind: "options", options }]);
        return { session: id, seq, options };
      }
      case "agent.session.close":
        this.append(id, [commandEntry(asked), { kind: "state", state: "closing", reason: "asked" }]);
        this.append(id, [{ kind: "state", state: "closed", reason: "asked" }]);
        return { session: id, seq, state: "closing" };
      case "agent.session.resume":
        this.append(id, [commandEntry(asked), { kind: "state", state: "starting" }]);
        return { session: id, seq, state: "starting" };
      case "agent.session.attach":
        return { session: id, snapshot: session.snapshot };
      case "agent.session.detach":
        return { session: id, detached: true };
      case "agent.permission.answer": {
        const { request, option } = asked.args;
        const outcome = option === undefined ? "cancelled" : "selected";
        const choice = typeof option === "string" ? { option } : {};
        const turn = session.running ?? 1;
        const { from: by } = asked.request;
        this.append(id, [
          commandEntry(asked),
          { kind: "permission", turn, request: String(request), phase: "resolved", outcome, ...choice, by },
        ]);
        return { session: id, seq, request, outcome, ...choice };
      }
      default:
        this.append(id, [commandEntry(asked)]);
        return { session: id, seq };
    }
  }

  #publish(entries: readonly Entry[]): void {
    const [one] = entries;
    const last = entries.at(-1);
    if (one === undefined || last === undefined || this.#isMuted) return;
    if (this.citizen.client.state.kind !== "connected") return;
    const { log, session } = one;
    const body = entries.length === 1 ? one : { log, session, seq_from: one.seq, seq: last.seq, entries };
    this.citizen.client.publish(topic, JSON.stringify(body));
  }

  #of({ session: id, request }: Args, run: (session: ScriptedSession) => Answer): Answer {
    // The id of a request begins with that of its session.
    const named = [id, request].find((one) => typeof one === "string")?.split("-")[0] ?? "";
    const found = this.sessions.get(named);
    return found === undefined ? refused("SESSION_UNKNOWN", `no session ${named}`) : run(found);
  }
}

function commandEntry({ verb, args, request }: Asked): EntryContent {
  const { command_id: commandId } = args;
  const id = typeof commandId === "string" ? { command_id: commandId } : {};
  return { kind: "command", verb, ...id, by: request.from, origin: "local", args: {} };
}

function promptEntries(turn: number, { prompt }: Args): EntryContent[] {
  const blocks = Array.isArray(prompt) ? prompt : [{ type: "text", text: prompt }];
  return blocks.map((content: { type: string }, index) => {
    return { kind: "message", turn, role: "user", message_id: `t${turn}-u${index + 1}`, content };
  });
}

/** Entries of a page, as agentd's default. */
const pageMax = 1_000;

function page(session: ScriptedSession, args: Args): object {
  const { after: given = 0, before = Infinity, limit = pageMax, kinds, turn } = args;
  const after = typeof given === "string" ? Number(given.split("/")[2]) : Number(given);
  const end = typeof before === "string" ? Number(before.split("/")[2]) : Number(before);
  const wanted = session.entries.filter(
    (entry) =>
      entry.seq > after &&
      entry.seq < end &&
      (turn === undefined || entry.turn === turn) &&
      (!Array.isArray(kinds) || kinds.includes(entry.kind)),
  );
  const backwards = args["before"] !== undefined && args["after"] === undefined;
  const entries = backwards ? wanted.slice(-Number(limit)) : wanted.slice(0, Number(limit));
  const cursor = (seq: number): string => `${logId}/${session.id}/${seq}`;
  const isWhole = entries.length === wanted.length;
  return {
    log: logId,
    session: session.id,
    entries,
    last_seq: session.entries.length,
    ...(!isWhole && !backwards && { next: cursor(entries.at(-1)?.seq ?? after) }),
    ...(!isWhole && backwards && { previous: cursor(entries[0]?.seq ?? end) }),
  };
}
