// SPDX-License-Identifier: MIT OR Apache-2.0
// Wires sessions, mailbox, agents and publisher together: append, then act, then publish.
import { setImmediate as breathe } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../bus-client/index.ts";
import { removeTemporaryFiles } from "./crash-cleanup.ts";
import type { Limits } from "./config/limits.ts";
import type { Settings } from "./config/settings.ts";
import type { Reserved } from "./instance/reserved.ts";
import { LogError } from "./log/log-error.ts";
import type { Log } from "./log/open.ts";
import type { SessionRow } from "./log/project.ts";
import { type QuotaWatch, watchQuota } from "./quota.ts";
import { isAborted, type LogMaintenance } from "./log-maintenance.ts";
import { endOrphans } from "./crash-cleanup.ts";
import { EvidenceCollector } from "./people/policy-evidence.ts";
import { Publisher, type PublisherBus } from "./publish.ts";
import { Agents, type PlannedLaunch } from "./session/agents/agents.ts";
import { recoveryFromLog, stateFromLog } from "./session/from-log.ts";
import type { StepContext, PeopleEffect } from "./session/core/input.ts";
import { isLive, type SessionState } from "./session/core/state.ts";
import { corePorts } from "./session/core-ports.ts";
import type { Failpoint } from "./failpoint.ts";
import { LiveSessions } from "./session/live-sessions.ts";
import { Mailbox } from "./session/mailbox/mailbox.ts";
import type { SentReply } from "./session/mailbox/posted-input.ts";
import { digestLog, renderTranscript } from "./session/transcript.ts";
import { instanceSession } from "./vocabulary/index.ts";

export interface SessionCore {
  readonly sessions: LiveSessions;
  readonly mailbox: Mailbox;
  readonly quota: QuotaWatch;
  /** Ends the sessions, processes and writes that a dead agentd left. Call it before connecting to the Bus. */
  recover(): Promise<void>;
  onBus(connected: boolean): void;
  /** Ends every session properly. Resolves when no agent runs and everything is logged. */
  stop(): Promise<void>;
}

export interface SessionCoreOptions {
  readonly log: Log;
  readonly limits: Limits;
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly bus: PublisherBus;
  readonly reply: (reply: SentReply) => void;
  readonly plan: (state: SessionState) => PlannedLaunch;
  readonly maintenance: LogMaintenance;
  readonly people: {
    readonly reach: StepContext["people"];
    readonly act: (session: string, effect: PeopleEffect) => void;
  };
  readonly busToolsSeen: (session: string) => Promise<boolean>;
  readonly reserved: Reserved;
  readonly failpoint: Failpoint;
  /** Waits for the next turn of the event loop; replaced by tests that control the turns. */
  readonly soon?: () => Promise<void>;
}

export function openSessionCore(options: SessionCoreOptions): SessionCore {
  const { log, limits, clock, logger, bus, failpoint } = options;
  const sessions = new LiveSessions((session) => stateFromLog(log, session));
  const publisher = new Publisher({
    log: log.id,
    entries: log.entries,
    bus,
    unansweredMax: limits.unansweredPublicationsMax,
    bodyBytesMax: limits.publicationBytesMax,
  });
  const agents = new Agents({
    post: (session, input, runSeq) => mailbox.post(session, input, runSeq),
    plan: options.plan,
    clock,
    soon: options.soon ?? breathe,
    chunkMergeBytesMax: limits.chunkMergeBytesMax,
    transcript(session, beforeTurn) {
      try {
        return renderTranscript(log.entries, session, beforeTurn, limits.freshTranscriptBytesMax);
      } catch (error) {
        if (!(error instanceof LogError)) throw error;
        // The prompt is committed and will be sent; the agent must not believe that this is the beginning.
        logger.error({ err: error, session }, "the transcript could not be read");
        return "There is an earlier conversation, but its log cannot be read.";
      }
    },
    digestLog: (session, seq) => digestLog(log.entries, session, seq, breathe),
    evidenceFor: ({ policy }) =>
      policy === undefined
        ? undefined
        : new EvidenceCollector({
            policy: () => options.settings().policies.get(policy),
            reserved: options.reserved,
            pathsMax: limits.policyPathsMax,
            callsMax: limits.openToolCallsMax,
          }),
    failpoint,
    people: (session, effect) => options.people.act(session, effect),
    busToolsSeen: options.busToolsSeen,
    maintain: (session, seq, command) => options.maintenance.run(session, seq, command),
    onError(error) {
      if (!isAborted(error)) logger.error({ err: error }, "work on the log failed");
    },
    record(session, child, lives) {
      const record = { session, ...child, marker: `${log.id}/${session}` };
      try {
        if (lives) log.processes.add(record);
        else log.processes.remove(record);
      } catch (error) {
        if (!(error instanceof LogError)) throw error;
        // The marker in its environment finds it without a row, and an extra row names a process that has ended.
        logger.error({ err: error, session }, "a child process could not be recorded");
      }
    },
  });
  const quota = watchQuota({
    used: () => log.maintenance.space().used,
    quota: () => options.settings().logQuotaBytes,
    onLevel(level, used, bytes) {
      const told = { used, quota: bytes };
      if (level === "plenty") logger.info(told, "the log has room again");
      else logger.warn(told, `the log is filling up: ${level}`);
    },
    onOverrun() {
      for (const { id } of sessions.live()) mailbox.post(id, { type: "log_full" });
    },
  });
  const mailbox: Mailbox = new Mailbox({
    log,
    sessions,
    context: () => contextOf(clock.now(), options.settings(), limits, options.people.reach),
    entriesPerCommitMax: limits.entriesPerCommitMax,
    bytesPerCommitMax: limits.commitBytesMax,
    inputsWaitingMax: limits.inputsWaitingMax,
    pressure: (high) => agents.setPaused("pressure", high),
    retryMs: limits.storeRetryMs,
    after: (ms, run) => clock.after(ms, run),
    failedGraceMs: limits.storeFailedGraceMs,
    endUnlogged: (session) => agents.endUnlogged(session),
    failpoint,
    reply: options.reply,
    act: (session, effects) => agents.act(session, effects),
    publish(appended) {
      publisher.committed(appended);
      quota.check();
    },
    storeState(error) {
      agents.setPaused("store", error !== undefined);
      if (error) {
        logger.error({ err: error }, "the log cannot be written; agents wait");
      } else {
        logger.info("the log can be written again");
      }
    },
  });
  sessions.onChange((state) => {
    if (!isLive(state)) publisher.ended(state.id);
  });
  return {
    sessions,
    mailbox,
    quota,
    async recover() {
      failpoint("recovery.before");
      const ended = await endOrphans(log);
      failpoint("recovery.processes");
      for (const row of unsettledRows(log)) {
        const [state, input] = recoveryFromLog(log, row, ended.get(row.session) ?? 0);
        removeTemporaryFiles(state, options.reserved);
        sessions.put(state);
        mailbox.post(state.id, input);
      }
      mailbox.flush();
      failpoint("recovery.after");
    },
    onBus(connected) {
      if (connected) publisher.connected(sessions.live().map(({ id, seq }) => ({ session: id, seq })));
      else publisher.disconnected();
    },
    async stop() {
      for (const { id } of sessions.live()) mailbox.post(id, { type: "stop" });
      mailbox.flush();
      // Agents are ended even if nothing can be logged; the next agentd recovers their sessions.
      if (mailbox.failed) agents.endUnlogged();
      await agents.ended();
      mailbox.flush();
      agents.clearTimers();
    },
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

function contextOf(now: number, settings: Settings, limits: Limits, people: StepContext["people"]): StepContext {
  return {
    now,
    people,
    ports: corePorts,
    settings: {
      permissionTimeoutMs: settings.permissionTimeoutMs,
      idleTimeoutMs: settings.idleTimeoutMs,
      cancelGraceMs: limits.cancelForceMs,
      drainGraceMs: limits.drainTimeoutMs,
      queuedPromptsMax: limits.queuedPromptsMax,
      openRequestsMax: limits.openRequestsMax,
      openToolCallsMax: limits.openToolCallsMax,
      extensionBytesMax: limits.extensionBytesMax,
      policies: settings.policies,
      fileBytesMax: limits.fileBytesMax,
      terminalsMax: limits.terminalsMax,
      busTools: settings.busTools,
    },
  };
}
