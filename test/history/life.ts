// SPDX-License-Identifier: MIT OR Apache-2.0
// One agentd's life, in this process: the real core over a real log, with fake agents, a Bus that only listens, and a
// clock that stands still. What leaves it is looked up in the log at that very moment.
import { join } from "node:path";
import { pino } from "pino";
import type { AgentSink } from "../../acp-client/agent-client.ts";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import { defaultLimits } from "../../agentd/config/limits.ts";
import type { Settings } from "../../agentd/config/settings.ts";
import type { JsonObject } from "../scripted-agent/scenario.ts";
import { LogMaintenance } from "../../agentd/log-maintenance.ts";
import { type Log, openLog } from "../../agentd/log/open.ts";
import type { SessionCommand, SessionInput } from "../../agentd/session/core/input.ts";
import { phaseOf, type SessionState } from "../../agentd/session/core/state.ts";
import type { StartInput } from "../../agentd/session/mailbox/posted-input.ts";
import type { DedupKey } from "../../agentd/session/mailbox/command-dedup.ts";
import type { PlannedLaunch } from "../../agentd/session/agents/agents.ts";
import { SessionCore } from "../../agentd/session-core.ts";
import type { FailpointName } from "../../agentd/failpoint.ts";
import type { Entry, EntryKind, Publication } from "../../agentd/vocabulary/index.ts";
import { promptText } from "../crash/broken-promises.ts";
import type { Callers, Given } from "./callers.ts";
import type { Sight } from "./commands.ts";
import { FakeAgent } from "./fake-agent.ts";
import type { Random } from "./random.ts";
import { nothingReserved } from "../../agentd/testing/nothing-reserved.ts";

type Resume = Extract<SessionInput, { readonly type: "resume" }>["command"];

/** Thrown where agentd dies; nothing of it may be caught there. */
export class Death extends Error {}

/** What outlives an agentd. */
export interface Ground {
  readonly random: Random;
  readonly stateDirectory: string;
  readonly callers: Callers;
  /** Every frame that agents got. */
  readonly frames: JsonObject[];
  readonly faults: string[];
  /** How far the wall clock has jumped. */
  wallOffsetMs: number;
}

export class Life {
  readonly clock = new ManualClock();
  readonly log: Log;
  readonly core: SessionCore;
  readonly agents: FakeAgent[] = [];
  readonly #ground: Ground;
  readonly #maintenance: LogMaintenance;
  /** Publications that the broker has not acknowledged. */
  #unanswered: (() => void)[] = [];
  #isOver = false;
  /** The last entry of each session that was published on this connection. */
  readonly #published = new Map<string, number>();
  #reachesLeft: number;
  diskFull = false;

  /** `reaches`: how many failpoints it passes before it dies. */
  constructor(ground: Ground, reaches: number) {
    this.#ground = ground;
    this.#reachesLeft = reaches;
    const clock = {
      now: () => this.clock.now() + ground.wallOffsetMs,
      after: (ms: number, run: () => void) => this.clock.after(ms, run),
    };
    this.log = openLog({
      file: join(ground.stateDirectory, "log.db"),
      clock,
      random: ground.random.bytes,
      beforeCommit: () => this.#beforeCommit(),
    });
    this.#maintenance = new LogMaintenance(this.log);
    this.core = new SessionCore({
      probes: { count: 0, run: () => Promise.reject(new Error("no probe")), stop: async () => {} },
      log: this.log,
      limits: { ...defaultLimits, queuedPromptsMax: 3, openRequestsMax: 4, openToolCallsMax: 4 },
      settings: () => settings,
      clock,
      logger: pino({ level: "silent" }),
      bus: {
        publish: (_topic, body, _options, done) => this.#publish(body.toString(), done),
        cork() {},
        uncork() {},
      },
      reply: (reply) => ground.callers.replied(reply, this.log),
      plan: (state) => this.#plan(state),
      maintenance: this.#maintenance,
      logins: { run: () => Promise.reject(new Error("nobody logs in here")), stop: () => Promise.resolve() },
      openPeople: () => ({ reach: "off", act() {}, onBus() {}, stop: () => Promise.resolve() }),
      busTools: { hasRegistered: () => Promise.resolve(true), forget() {} },
      reserved: nothingReserved,
      temporaryDirectory: join(ground.stateDirectory, "tmp"),
      failpoint: (point) => this.#failpoint(point),
      soon: () => Promise.resolve(),
    });
  }

  onBus(connected: boolean): void {
    this.#unanswered = [];
    this.#published.clear();
    this.core.onBus(connected);
  }

  sight(): Sight {
    const list = this.log.sessions.list({ limit: 100 });
    return {
      sessions: list.refused ? [] : list.sessions.map(({ session }) => session),
      asked: (session) => this.core.sessions.get(session)?.requests.map(({ request }) => request) ?? [],
    };
  }

  /** As the verbs' handlers do it. */
  give({ verb, args, scope }: Given, caller: number): void {
    const { random, callers } = this.#ground;
    const { mailbox } = this.core;
    const { prompt: _, command_id: _id, ...redactedArgs } = args;
    const command = { verb, args, by: "tester", origin: "local", caller, redactedArgs };
    if (verb !== "agent.session.start" && verb !== "agent.session.resume") {
      mailbox.post(scope, { type: "command", command: command as unknown as SessionCommand });
      return;
    }
    const recalled = mailbox.findReply(scope, command as unknown as DedupKey);
    if (recalled === "pending") return;
    if (recalled) return callers.replied(recalled, this.log);
    if (verb === "agent.session.resume") {
      const { cwd = "", additionalDirs = [] } = this.core.sessions.get(scope) ?? {};
      const directories = { cwd, additionalDirs };
      mailbox.post(scope, { type: "resume", command: command as unknown as Resume, directories });
      return;
    }
    const id = random.id();
    const { name } = args as { name?: string };
    const createdAt = new Date(this.clock.now()).toISOString();
    const named = name === undefined ? {} : { name };
    const session = { id, agent: "fake", ...named, cwd: "/work", additionalDirs: [], env: [], createdAt };
    mailbox.post(id, { type: "start", command: command as unknown as StartInput["command"], session });
  }

  acknowledge(count: number): void {
    for (const done of this.#unanswered.splice(0, count)) done();
  }

  /** The snapshot of each session is what its entries come to. */
  checkSnapshots(): void {
    for (const state of this.core.sessions.live()) {
      const row = this.log.sessions.row(state.id);
      const shown = JSON.stringify(shownOf(state));
      const logged = row && JSON.stringify(loggedOf(row));
      if (shown !== logged) this.#fault(`${state.id} is ${shown}, its entries come to ${logged}`);
    }
  }

  /** Closes the file and leaves all else where it is. */
  async abandon(): Promise<void> {
    this.#isOver = true;
    this.core.mailbox.stop();
    await this.#maintenance.stop();
    this.log.close();
  }

  #failpoint(point: FailpointName): void {
    // Also reached after an await, where no one could take the death.
    if (point === "agent.spawned") return;
    this.#reachesLeft -= 1;
    if (this.#reachesLeft === 0) throw new Death(point);
  }

  #beforeCommit(): void {
    this.#failpoint("commit.before");
    if (this.diskFull) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
  }

  #plan(state: SessionState): PlannedLaunch {
    // A start that was on its way when this life ended.
    if (this.#isOver) return { ok: false, failure: { code: "AGENT_UNAVAILABLE", message: "nobody is there" } };
    const { random, frames } = this.#ground;
    if (this.log.entries.body(state.id, state.runSeq) === undefined) this.#fault(`${state.id} lives unlogged`);
    if (this.#living(state.id)) this.#fault(`a second agent was started for ${state.id}`);
    const start = (sink: AgentSink): FakeAgent => {
      const got = (frame: JsonObject): void => {
        this.#checkFrame(state.id, frame);
        frames.push(frame);
      };
      const agent = new FakeAgent({ random, sink, got, session: state.id, pid: 2 ** 22 + 1 + this.agents.length });
      this.agents.push(agent);
      return agent;
    };
    return { ok: true, launch: { start, mcpServers: [], quirksOf: () => ({}), chosenOptions: [] } };
  }

  #living(session: string): boolean {
    return this.agents.some((agent) => agent.session === session && !agent.over);
  }

  /** What the agent gets is allowed by what is logged now. */
  #checkFrame(session: string, frame: JsonObject): void {
    const has = (kind: EntryKind, ...texts: string[]): boolean =>
      this.log.entries
        .page({ session, kinds: [kind], limit: 10_000 })
        .entries.some((entry) => texts.every((text) => entry.includes(text)));
    const { result } = frame as { result?: unknown };
    if (result !== undefined && !has("permission", '"phase":"resolved"'))
      this.#fault(`${session} was answered unlogged`);
    if (frame["method"] !== "session/prompt") return;
    const text = promptText(frame);
    if (!has("message", '"role":"user"', JSON.stringify(text)))
      this.#fault(`${session} was prompted "${text}" unlogged`);
    if (!has("turn", '"phase":"started"')) this.#fault(`${session} was prompted "${text}" with no turn begun`);
  }

  #publish(body: string, done: (error: Error | undefined) => void): void {
    this.#unanswered.push(() => done(undefined));
    const publication = JSON.parse(body) as Publication;
    const entries = "entries" in publication && "seq_from" in publication ? publication.entries : [publication];
    for (const entry of entries as readonly Entry[]) {
      const { session, seq } = entry;
      if (this.log.entries.body(session, seq) !== JSON.stringify(entry)) {
        this.#fault(`${session}/${seq} was published and is not so in the log`);
      }
      const before = this.#published.get(session);
      if (before !== undefined && seq !== before + 1) this.#fault(`${session}/${seq} was published after ${before}`);
      this.#published.set(session, seq);
    }
  }

  #fault(what: string): void {
    this.#ground.faults.push(what);
  }
}

function shownOf(state: SessionState) {
  return {
    state: phaseOf(state),
    seq: state.seq,
    turns: state.turns,
    requests: state.requestCount,
    queued: state.queue.map(({ turn }) => turn),
    asked: state.requests.map(({ request }) => request),
    unsent: state.unsent.map(({ request }) => request),
    pending: state.pending.map(({ seq }) => seq),
  };
}

function loggedOf({ state, last_seq: seq, turns, requests, open }: NonNullable<ReturnType<Log["sessions"]["row"]>>) {
  const requested = (phase: "requested" | "resolved") =>
    open.requests.filter((request) => request.phase === phase).map(({ request }) => request);
  return {
    state,
    seq,
    turns,
    requests,
    queued: open.turns.filter(({ phase }) => phase === "queued").map(({ turn }) => turn),
    asked: requested("requested"),
    unsent: requested("resolved"),
    pending: open.commands.map((command) => command.seq),
  };
}

const settings: Settings = {
  roots: undefined,
  maxSessions: 6,
  idleTimeoutMs: 30 * 60_000,
  permissionTimeoutMs: 10 * 60_000,
  allowEnv: [],
  logQuotaBytes: 10 ** 9,
  mcpDeny: [],
  notify: undefined,
  busTools: false,
  agentsAct: "started",
  mesh: "refuse",
  agents: new Map(),
  policies: new Map(),
};
