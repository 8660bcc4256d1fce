// SPDX-License-Identifier: MIT OR Apache-2.0
// Wires sessions, mailbox, agents and publisher together: append, then act, then publish.
import { rmSync } from "node:fs";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../bus-client/index.ts";
import type { BusToolsWatch } from "./bus-tools.ts";
import { attempt } from "../files/attempt.ts";
import { endOrphans, removeTemporaryFiles } from "./crash-cleanup.ts";
import type { Limits } from "./config/limits.ts";
import type { Settings } from "./config/settings.ts";
import type { Failpoint } from "./failpoint.ts";
import type { Reserved } from "./instance/reserved.ts";
import { LogError } from "./log/log-error.ts";
import type { Log } from "./log/open.ts";
import type { SessionRow } from "./log/project.ts";
import type { Logins } from "./logins.ts";
import { Aborted, type LogMaintenance } from "./log-maintenance.ts";
import type { Notifier } from "./people/notifier.ts";
import type { Probes } from "./probe/probes.ts";
import { Publisher, type PublisherBus } from "./publish.ts";
import { type QuotaWatch, watchQuota } from "./quota.ts";
import type { AgentRunOptions, LoggedConversation } from "./session/agents/agent-run.ts";
import { Agents, type AgentsOptions } from "./session/agents/agents.ts";
import { corePorts } from "./session/core-ports.ts";
import { isLive } from "./session/core/state.ts";
import { EffectRunner } from "./session/effect-runner.ts";
import { recoveryFromLog, stateFromLog } from "./session/from-log.ts";
import { LiveSessions } from "./session/live-sessions.ts";
import { Mailbox, type PostInput } from "./session/mailbox/mailbox.ts";
import type { SentReply } from "./session/mailbox/posted-input.ts";
import { digestLog, renderTranscript } from "./session/transcript.ts";
import { instanceSession } from "./vocabulary/index.ts";

export type People = Pick<Notifier, "reach" | "act" | "onBus" | "stop">;

export interface SessionCoreOptions {
  readonly log: Log;
  readonly limits: Limits;
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly bus: PublisherBus;
  readonly reply: (reply: SentReply) => void;
  readonly plan: AgentsOptions["plan"];
  readonly maintenance: LogMaintenance;
  readonly probes: Pick<Probes, "run" | "count" | "stop">;
  readonly logins: Pick<Logins, "run" | "stop">;
  /** Called once. People's answers are posted. */
  readonly openPeople: (post: PostInput) => People;
  readonly busTools: Pick<BusToolsWatch, "hasRegistered" | "forget">;
  readonly reserved: Reserved;
  /** Emptied before an agent is started: a dead agentd may have left files there. */
  readonly temporaryDirectory: string;
  readonly failpoint: Failpoint;
  /** Waits for the next turn of the event loop; replaced by tests that control the turns. */
  readonly soon?: () => Promise<void>;
}

export class SessionCore {
  readonly sessions: LiveSessions;
  readonly mailbox: Mailbox;
  readonly people: People;
  readonly quota: QuotaWatch;
  readonly #options: SessionCoreOptions;
  readonly #publisher: Publisher;
  readonly #agents: Agents;
  readonly #effects: EffectRunner;

  /** Everything that posts to the mailbox is made after it; it starts when they are there. */
  constructor(options: SessionCoreOptions) {
    const { log, limits, clock, logger, bus, plan, maintenance, probes, logins, busTools, failpoint } = options;
    this.#options = options;
    this.sessions = new LiveSessions((session) => stateFromLog(log, session));
    this.mailbox = new Mailbox({
      log,
      sessions: this.sessions,
      limits,
      after: (ms, run) => clock.after(ms, run),
      failpoint,
    });
    const { post } = this.mailbox;
    this.people = options.openPeople(post);
    this.#publisher = new Publisher({
      log: log.id,
      entries: log.entries,
      bus,
      unansweredMax: limits.unansweredPublicationsMax,
      bodyBytesMax: limits.publicationBytesMax,
    });
    this.quota = openQuota(options, this.mailbox, this.sessions);
    const onError = (error: unknown): void => {
      if (!(error instanceof Aborted)) logger.error({ err: error }, "work on the log failed");
    };
    this.#agents = new Agents({
      post,
      plan,
      now: () => clock.now(),
      soon: options.soon ?? yieldToEventLoop,
      chunkMergeBytesMax: limits.chunkMergeBytesMax,
      conversation: openConversation(options),
      onError,
      failpoint,
      record: openRecord(options),
    });
    this.#effects = new EffectRunner({
      post,
      agents: this.#agents,
      people: this.people,
      maintenance,
      probes,
      logins,
      busTools,
      clock,
      onError,
      failpoint,
    });
    this.#start();
  }

  #start(): void {
    const { limits, settings, clock, logger, reply, busTools, probes } = this.#options;
    this.mailbox.start({
      context: () => ({
        now: clock.now(),
        settings: settings(),
        limits,
        people: this.people.reach,
        ports: corePorts,
        probes: probes.count,
      }),
      reply,
      act: this.#effects.act,
      publish: (appended) => this.#publisher.committed(appended),
      onCommitted: () => this.quota.check(),
      onError: (error) => logger.error({ err: error }, "watching the commits failed"),
      pressure: (high) => this.#agents.setPaused("pressure", high),
      storeState: (error) => {
        this.#agents.setPaused("store", error !== undefined);
        if (error) logger.error({ err: error }, "the log cannot be written; agents wait");
        else logger.info("the log can be written again");
      },
      endUnlogged: this.#effects.endUnlogged,
    });
    this.sessions.onChange((state) => {
      if (isLive(state)) return;
      this.#publisher.ended(state.id);
      busTools.forget(state.id);
    });
  }

  /** Ends the sessions, processes and writes that a dead agentd left. Call it before connecting to the Bus. */
  async recover(): Promise<void> {
    const { log, reserved, temporaryDirectory, failpoint } = this.#options;
    failpoint("recovery.before");
    const ended = await endOrphans(log);
    attempt(() => rmSync(temporaryDirectory, { recursive: true, force: true }));
    failpoint("recovery.processes");
    for (const row of unsettledRows(log)) {
      const [state, input] = recoveryFromLog(log, row, ended.get(row.session) ?? 0);
      removeTemporaryFiles(state, reserved);
      this.sessions.put(state);
      this.mailbox.post(state.id, input);
    }
    this.mailbox.flush();
    failpoint("recovery.after");
  }

  onBus(connected: boolean): void {
    if (connected) this.#publisher.connected(this.sessions.live().map(({ id, seq }) => ({ session: id, seq })));
    else this.#publisher.disconnected();
    this.people.onBus(connected);
  }

  /** Ends every session properly. Resolves when no agent runs, everything is logged and people are asked nothing. */
  async stop(): Promise<void> {
    for (const { id } of this.sessions.live()) this.mailbox.post(id, { type: "stop" });
    this.mailbox.flush();
    // Agents are ended even if nothing can be logged; the next agentd recovers their sessions.
    if (this.mailbox.failed) this.#effects.endUnlogged();
    await Promise.all([this.#agents.ended(), this.#options.probes.stop(), this.#options.logins.stop()]);
    this.mailbox.flush();
    this.#effects.clearTimers();
    await this.people.stop();
  }
}

function openQuota(
  { log, settings, logger }: SessionCoreOptions,
  mailbox: Mailbox,
  sessions: LiveSessions,
): QuotaWatch {
  return watchQuota({
    used: () => log.maintenance.space().used,
    quota: () => settings().logQuotaBytes,
    onLevel(level, used, bytes) {
      const told = { used, quota: bytes };
      if (level === "plenty") logger.info(told, "the log has room again");
      else logger.warn(told, `the log is filling up: ${level}`);
    },
    onOverrun() {
      for (const { id } of sessions.live()) mailbox.post(id, { type: "log_full" });
    },
  });
}

function openConversation({ log: { entries }, limits, logger }: SessionCoreOptions): LoggedConversation {
  return {
    before(session, turn) {
      try {
        return renderTranscript(entries, session, turn, limits.freshTranscriptBytesMax);
      } catch (error) {
        if (!(error instanceof LogError)) throw error;
        // The prompt is committed and will be sent; the agent must not believe that this is the beginning.
        logger.error({ err: error, session }, "the transcript could not be read");
        return "There is an earlier conversation, but its log cannot be read.";
      }
    },
    digest: (session, seq) => digestLog(entries, session, seq, yieldToEventLoop),
  };
}

function openRecord({ log, logger }: SessionCoreOptions): AgentRunOptions["record"] {
  return (session, child, lives) => {
    const record = { session, ...child, marker: `${log.id}/${session}` };
    try {
      if (lives) log.processes.add(record);
      else log.processes.remove(record);
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      // The marker in its environment finds it without a row, and an extra row names a process that has ended.
      logger.error({ err: error, session }, "a child process could not be recorded");
    }
  };
}

/** Sessions (and the instance) that are live, or have a write, terminal or command without an end in the log. */
function unsettledRows(log: Log): readonly SessionRow[] {
  const live = [...log.sessions.live(), ...log.sessions.endedWithLooseEnds()];
  const seen = new Set(live.map(({ session }) => session));
  const others = [
    instanceSession,
    ...log.maintenance.unfinishedPurges(),
    ...log.receipts.unanswered().map(({ session }) => session),
  ];
  const rows = [...new Set(others)].filter((session) => !seen.has(session)).map((session) => log.sessions.row(session));
  return [...live, ...rows.filter((row) => row !== undefined && row.open.commands.length > 0)] as readonly SessionRow[];
}
