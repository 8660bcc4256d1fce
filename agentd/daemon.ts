// SPDX-License-Identifier: MIT OR Apache-2.0
// One agentd, composed: what stands is taken up from the log before the Bus hears of it, and on the way down every
// agent is ended before the Bus, the log and the lock are let go.
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type Citizen, type Clock, serveCitizen, systemClock, type Surroundings } from "../bus-client/index.ts";
import { findBusHome } from "./bus-home.ts";
import { builtInAgents } from "./catalogue/built-in.ts";
import { buildCatalogue } from "./catalogue/catalogue.ts";
import { Callers } from "./commands/callers.ts";
import { busVerbs, waitPool } from "./commands/dispatch.ts";
import type { Instance } from "./commands/instance.ts";
import { describeProblem, loadConfig } from "./config/load.ts";
import { defaultLimits, type Limits } from "./config/limits.ts";
import { watchConfig } from "./config/watch.ts";
import { DaemonError } from "./daemon-error.ts";
import { acquireInstanceLock } from "./instance/lock.ts";
import { type InstancePaths, prepareStateDirectory } from "./instance/paths.ts";
import type { ProcessLog } from "./instance/process-log.ts";
import { planLaunch } from "./launch.ts";
import { openLog } from "./log/open.ts";
import { Publisher } from "./publish.ts";
import { Agents } from "./session/agents.ts";
import { recoveryOf, stateFromLog } from "./session/from-log.ts";
import { LiveSessions } from "./session/live-sessions.ts";
import { Mailbox } from "./session/mailbox.ts";
import { isLive } from "./session/state.ts";
import { newSessionId } from "./session/session-id.ts";
import { service } from "./vocabulary/index.ts";

export interface DaemonOptions {
  readonly paths: InstancePaths;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly uid: number;
  readonly version: string;
  readonly logger: ProcessLog["logger"];
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** Where the Bus is looked for; by default, what the environment says. */
  readonly surroundings?: Surroundings;
}

export interface Daemon {
  readonly log: { readonly id: string; readonly file: string };
  readonly busUrl: () => string;
  /** Registered on the Bus for the first time. */
  readonly ready: Promise<void>;
  /** Ends sessions properly, then everything else. Idempotent. */
  stop(why: string): Promise<void>;
  readonly stopped: Promise<void>;
}

/** Throws DaemonError for what keeps it from starting at all. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { paths, environment, home, uid, version, logger } = options;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const clock = options.clock ?? systemClock;
  const startedAt = new Date(clock.now()).toISOString();

  const prepared = prepareStateDirectory(paths, uid);
  if (!prepared.ok) throw new DaemonError("STATE_REFUSED", `${prepared.path}: ${prepared.reason}`);
  const loaded = loadConfig({ file: paths.configFile, home, uid, bytesMax: limits.configBytesMax });
  if (!loaded.ok) throw new DaemonError("CONFIG_REFUSED", loaded.problems.map(describeProblem).join("\n"));
  const held = acquireInstanceLock({
    lockFile: paths.lockFile,
    pidFile: paths.pidFile,
    pid: process.pid,
    startedAt,
    waitMs: limits.lockWaitMs,
  });
  if (!held.ok) throw new DaemonError("ALREADY_RUNNING", held.message);
  const undo: (() => void | Promise<void>)[] = [() => held.lock.release()];

  try {
    const log = openLog({ file: paths.logFile, clock, random: randomBytes });
    undo.push(() => log.close());
    let settings = loaded.settings;
    let configError: string | undefined;
    const builtIn = builtInAgents({ nodeProgram: process.execPath, demoProgram: demoProgram(), version });
    let catalogue = buildCatalogue(builtIn, settings.agents);

    const callers = new Callers();
    const sessions = new LiveSessions((session) => stateFromLog(log.sessions, session));
    const after = (ms: number, run: () => void): (() => void) => clock.after(ms, run);
    const agents = new Agents({
      post: (session, input) => mailbox.post(session, input),
      plan: (state) => planLaunch(instance, version, state),
      after,
      chunkMergeBytesMax: limits.chunkMergeBytesMax,
      record: (session, child, lives) => {
        const record = { session, ...child, marker: `${log.id}/${session}` };
        if (lives) log.processes.add(record);
        else log.processes.remove(record);
      },
    });
    const mailbox: Mailbox = new Mailbox({
      log,
      sessions,
      context: () => ({
        now: clock.now(),
        settings: {
          permissionTimeoutMs: settings.permissionTimeoutMs,
          idleTimeoutMs: settings.idleTimeoutMs,
          cancelGraceMs: limits.cancelForceMs,
          drainGraceMs: limits.drainTimeoutMs,
          queuedPromptsMax: limits.queuedPromptsMax,
          openRequestsMax: limits.openRequestsMax,
          extensionBytesMax: limits.extensionBytesMax,
        },
      }),
      entriesPerCommitMax: limits.entriesPerCommitMax,
      retryMs: limits.storeRetryMs,
      after,
      reply: (reply) => callers.reply(reply),
      act: (session, effects) => agents.act(session, effects),
      publish: (appended) => publisher.committed(appended),
      storeState: (error) => {
        if (error) {
          logger.error({ err: error }, "the log cannot be written; agents wait");
          agents.pauseAll();
        } else {
          logger.info("the log can be written again");
          agents.resumeAll();
        }
      },
    });

    recoverSessions();

    const bus = findBusHome({
      surroundings: options.surroundings ?? { env: environment, uid, home },
      version,
      warn: (message) => logger.warn(message),
    });
    undo.push(() => bus.close());
    const instance: Instance = {
      log,
      sessions,
      mailbox,
      callers,
      limits,
      settings: () => settings,
      catalogue: () => catalogue,
      home,
      stateDirectory: paths.stateDirectory,
      workspacesDirectory: paths.workspacesDirectory,
      environmentDirectory: paths.environmentDirectory,
      environment,
      uid,
      now: () => clock.now(),
      after,
      newSessionId: () => newSessionId(randomBytes, (id) => log.sessions.row(id) !== undefined),
      stopping: () => stopping !== undefined,
      status: () => ({
        pid: process.pid,
        version,
        started_at: startedAt,
        bus: {
          url: bus.url(),
          embedded: bus.embedded(),
          state: citizen.client.state.kind,
          generation: citizen.client.generation,
        },
        config: {
          file: paths.configFile,
          loaded: loaded.text !== undefined,
          ...(configError === undefined ? {} : { error: configError }),
        },
      }),
    };

    const citizen: Citizen = serveCitizen({
      client: {
        url: () => bus.find(),
        provenance: { binary: "agentd", version, pid: process.pid, started_at: startedAt },
        nameTaken: "retry",
        clock,
      },
      service,
      version,
      description:
        "Coding agents as sessions: started, watched, steered, answered and stopped from anywhere on the Bus",
      app: "agentd",
      verbs: busVerbs(instance),
      pools: { [waitPool]: { pendingMax: limits.waitsMax } },
      pendingMax: limits.commandsMax,
      props: {
        read: () => ({
          version,
          started_at: startedAt,
          mode: "serving",
          health: "ok",
          generation: citizen.client.generation,
          sessions: { live: sessions.live().length },
        }),
      },
      onQuit: () => stop("asked to quit over the Bus"),
      onFault: (error, verb) => logger.error({ err: error, verb }, "a verb's handler failed"),
    });
    const publisher: Publisher = new Publisher({
      log: log.id,
      entries: log.entries,
      bus: citizen.client,
      unansweredMax: limits.unansweredPublicationsMax,
      bodyBytesMax: limits.publicationBytesMax,
    });
    sessions.onChange((state) => {
      if (!isLive(state)) publisher.ended(state.id);
    });

    const watch = watchConfig({
      file: paths.configFile,
      home,
      uid,
      bytesMax: limits.configBytesMax,
      settleMs: limits.configSettleMs,
      current: loaded,
      onSettings: (changed, warnings) => {
        settings = changed;
        catalogue = buildCatalogue(builtIn, settings.agents);
        configError = undefined;
        for (const warning of warnings) logger.warn(describeProblem(warning));
        logger.info("the configuration was read anew");
      },
      onRefused: (problems) => {
        configError = problems.map(describeProblem).join("\n");
        logger.error(`the configuration was changed and is refused; what held before holds on\n${configError}`);
      },
    });

    let stopping: Promise<void> | undefined;
    let reportStopped: () => void = () => {};
    const stopped = new Promise<void>((resolve) => {
      reportStopped = resolve;
    });

    const ready = new Promise<void>((resolve) => {
      citizen.client.onState((state) => {
        if (state.kind === "connected") {
          logger.info({ bus: bus.url(), embedded: bus.embedded() }, "on the Bus as agent");
          publisher.connected(sessions.live().map(({ id, seq }) => ({ session: id, seq })));
          resolve();
        } else publisher.disconnected();
        if (state.kind === "disconnected")
          logger.warn({ err: state.cause, retryInMs: state.retryInMs }, "not on the Bus");
      });
    });
    citizen.start();

    function recoverSessions(): void {
      for (const row of log.sessions.live()) {
        const [state, input] = recoveryOf(log.sessions, log.entries, row);
        sessions.put(state);
        mailbox.post(state.id, input);
      }
      mailbox.flush();
    }

    function stop(why: string): Promise<void> {
      stopping ??= stopAll(why);
      return stopping;
    }

    async function stopAll(why: string): Promise<void> {
      logger.info(`stopping: ${why}`);
      await watch.close();
      for (const { id } of sessions.live()) mailbox.post(id, { type: "stop" });
      mailbox.flush();
      await agents.ended();
      mailbox.flush();
      agents.clearTimers();
      await citizen.stop();
      mailbox.stop();
      for (const step of undo.toReversed()) await step();
      logger.info("stopped");
      reportStopped();
    }

    return { log, busUrl: () => bus.url(), ready, stop, stopped };
  } catch (error) {
    for (const step of undo.toReversed()) await step();
    throw error;
  }
}

/** The demo agent's program, beside this one when built; the built one when this runs from its source. */
function demoProgram(): string {
  const here = fileURLToPath(new URL("./demo-agent/main.js", import.meta.url));
  return here.includes("/dist/") ? here : fileURLToPath(new URL("../dist/agentd/demo-agent/main.js", import.meta.url));
}
