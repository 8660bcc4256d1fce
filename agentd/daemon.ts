// SPDX-License-Identifier: MIT OR Apache-2.0
// Composes one agentd. It recovers sessions from the log before it connects to the Bus, and ends every agent before it
// closes the Bus, the log and the lock.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { identityOf } from "../acp-client/process/process-identity.ts";
import { BusError, type Citizen, type Clock, type Surroundings, systemClock } from "../bus-client/index.ts";
import { type Build, isSameBuild } from "../files/installed-build.ts";
import { createAgentCitizen } from "./agent-citizen.ts";
import { BusToolsWatch } from "./bus-tools.ts";
import { type BusEndpoint, createBusEndpoint } from "./bus-endpoint.ts";
import { EventLoopBudget } from "./client-side/event-loop-budget.ts";
import { builtInAgents } from "./catalogue/built-in.ts";
import { Callers } from "./commands/callers.ts";
import type { Instance } from "./commands/instance.ts";
import { defaultLimits, type Limits } from "./config/limits.ts";
import { DaemonError } from "./daemon-error.ts";
import { acquireInstanceLock, type InstanceLock } from "./instance/lock.ts";
import type { InstancePaths } from "./instance/paths.ts";
import type { ProcessLog } from "./instance/process-log.ts";
import { Reserved, reservedPlaces } from "./instance/reserved.ts";
import { planLaunch } from "./launch.ts";
import { openLiveConfig } from "./live-config.ts";
import { isAborted, LogMaintenance } from "./log-maintenance.ts";
import { LogError, type LogErrorCode } from "./log/log-error.ts";
import { type Log, type LogOptions, openLog } from "./log/open.ts";
import { isLive } from "./session/core/state.ts";
import { makeWithUserUmask } from "./instance/user-umask.ts";
import { newSessionId } from "./session/session-id.ts";
import { noFailpoint, type Failpoint } from "./failpoint.ts";
import { findAnswerStatus } from "./people/answer-status.ts";
import { Notifier } from "./people/notifier.ts";
import { openSessionCore } from "./session-core.ts";
import type { StatusReply } from "./vocabulary/index.ts";

export interface DaemonOptions {
  /** Call `prepareStateDirectory` first. */
  readonly paths: InstancePaths;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly uid: number;
  readonly version: string;
  /** Distinguishes builds of one version; undefined when run from source. */
  readonly build?: string | undefined;
  /** The build now installed where agentd was started from; undefined if that is gone. */
  readonly installed?: () => Build | undefined;
  readonly logger: ProcessLog["logger"];
  /** The umask that agentd was started with, if it was changed since. */
  readonly umask?: number;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** Failpoints for tests. */
  readonly failpoint?: Failpoint;
  /** Where to look for the Bus; by default, from the environment. */
  readonly surroundings?: Surroundings;
}

export interface Daemon {
  readonly log: { readonly id: string; readonly file: string };
  readonly busUrl: () => string;
  /** Resolves when it is on the Bus for the first time. */
  readonly ready: Promise<void>;
  /** Ends sessions properly, then everything else. Idempotent. */
  stop(why: string): Promise<void>;
  readonly stopped: Promise<void>;
}

/** Throws DaemonError for expected failures, after closing what it has opened. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const opened = new CleanupStack();
  try {
    return await compose(options, opened);
  } catch (error) {
    await opened.closeAll();
    throw error;
  }
}

async function compose(options: DaemonOptions, opened: CleanupStack): Promise<Daemon> {
  const { paths, environment, home, uid, version, build, logger } = options;
  const own: Build = { version, build };
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const clock = options.clock ?? systemClock;
  const failpoint = options.failpoint ?? noFailpoint;
  const startedAt = new Date(clock.now()).toISOString();

  const lock = takeLock(paths, startedAt, own, limits);
  opened.add(() => lock.release());
  const builtIn = builtInAgents({ nodeProgram: process.execPath, demoProgram: demoProgram(), version });
  const config = openLiveConfig({ file: paths.configFile, home, uid, limits, builtIn, logger });
  opened.add(() => config.close());
  const log = openStore({
    file: paths.logFile,
    lockFile: paths.lockFile,
    clock,
    random: randomBytes,
    beforeCommit: () => failpoint("commit.before"),
  });
  opened.add(() => log.close());
  const maintenance = new LogMaintenance(log);
  opened.add(() => maintenance.stop());
  const surroundings = options.surroundings ?? { env: environment, uid, home };
  const reserved = new Reserved(reservedPlaces(paths, surroundings));
  const bus = createBusEndpoint({
    surroundings,
    version,
    clock,
    warn: (message) => logger.warn(message),
  });
  opened.add(() => bus.close());
  await requireBus(bus);

  let stopping: Promise<void> | undefined;
  const stopped = deferred();
  const ready = deferred();
  const stop = (why: string): Promise<void> => (stopping ??= stopAll(why));

  const callers = new Callers();
  const citizen: Citizen = createAgentCitizen({
    endpoint: bus,
    instance: () => instance,
    build: own,
    startedAt,
    clock,
    logger,
    pendingMax: limits.commandsMax,
    waitsMax: limits.waitsMax,
    onQuit: () => stop("asked to quit over the Bus"),
    onBus(connected) {
      core.onBus(connected);
      notifier.onBus(connected);
      if (!connected) return;
      busTools.follow();
      ready.resolve();
    },
  });
  const notifier = new Notifier({
    bus: citizen.client,
    service: () => config.settings().notify,
    label: `agentd/${log.id}`,
    post: (session, input) => core.mailbox.post(session, input),
    answerStatus: (session, request) => findAnswerStatus(log.entries, session, request),
    after: (ms, run) => clock.after(ms, run),
    logger,
    limits,
  });
  const busTools = new BusToolsWatch({
    bus: citizen.client,
    pause: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
    graceMs: limits.busToolsGraceMs,
    onError: (error) => logger.debug({ err: error }, "the services on the Bus could not be listed"),
  });
  const core = openSessionCore({
    log,
    limits,
    settings: config.settings,
    clock,
    logger,
    bus: citizen.client,
    reply: (reply) => callers.reply(reply),
    plan(state) {
      busTools.expect(state.id);
      return planLaunch(instance, version, state);
    },
    maintenance,
    people: notifier,
    busToolsSeen: (session) => busTools.hasRegistered(session),
    reserved,
    failpoint,
  });
  const instance: Instance = {
    log,
    sessions: core.sessions,
    mailbox: core.mailbox,
    callers,
    maintenance,
    quota: core.quota,
    limits,
    settings: config.settings,
    catalogue: config.catalogue,
    configFile: paths.configFile,
    home,
    workspacesDirectory: paths.workspacesDirectory,
    reserved,
    environmentDirectory: paths.environmentDirectory,
    environment,
    busTools: () => ({ nodeProgram: process.execPath, mcpProgram: mcpProgram(), busUrl: bus.url() }),
    uid,
    withUserUmask: makeWithUserUmask(options.umask),
    eventLoopBudget: new EventLoopBudget({ turnMs: limits.deskTurnMs }),
    now: () => clock.now(),
    after: (ms, run) => clock.after(ms, run),
    newSessionId: () => newSessionId(randomBytes, (id) => log.sessions.row(id) !== undefined),
    stopping: () => stopping !== undefined,
    status: () => ({
      pid: process.pid,
      ...own,
      ...installedReply(own, options.installed),
      started_at: startedAt,
      bus: {
        url: bus.url(),
        embedded: bus.embedded(),
        state: citizen.client.state.kind,
        generation: citizen.client.generation,
      },
      config: config.status(),
      people: { service: config.settings().notify ?? null, state: notifier.reach },
    }),
  };

  core.sessions.onChange((state) => {
    if (!isLive(state)) busTools.forget(state.id);
  });
  await core.recover();
  await maintenance.finishPurges();
  citizen.start();
  // Runs in the background.
  maintenance.reclaimSpace().catch((error: unknown) => {
    if (!isAborted(error)) logger.error({ err: error }, "the space of what was purged could not be given back");
  });

  async function stopAll(why: string): Promise<void> {
    logger.info(`stopping: ${why}`);
    try {
      await core.stop();
      await notifier.stop();
      await citizen.stop();
      core.mailbox.stop();
    } catch (error) {
      logger.error({ err: error }, "stopping failed in part");
    }
    try {
      await opened.closeAll();
      logger.info("stopped");
    } catch (error) {
      logger.error({ err: error }, "stopped, but not cleanly");
    }
    stopped.resolve();
  }

  return { log, busUrl: () => bus.url(), ready: ready.promise, stop, stopped: stopped.promise };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolvePromise = (): void => {};
  const promise = new Promise<void>((resolve) => {
    resolvePromise = resolve;
  });
  return { promise, resolve: () => resolvePromise() };
}

/** Closes resources in the reverse order of their opening. */
class CleanupStack {
  readonly #closers: (() => void | Promise<void>)[] = [];

  add(close: () => void | Promise<void>): void {
    this.#closers.push(close);
  }

  /** Closes all of them even if some fail, then throws the failures. */
  async closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, "not everything could be closed");
  }
}

/** Distinguishes errors that a person must fix from those that may pass: a full disk, a locked file. */
function openStore(options: LogOptions): Log {
  try {
    return openLog(options);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    const code = transientErrors.has(error.code) ? "STATE_UNAVAILABLE" : "STORE_REFUSED";
    throw new DaemonError(code, error.message, { cause: error });
  }
}

async function requireBus(bus: BusEndpoint): Promise<void> {
  try {
    await bus.requireUsable();
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    throw new DaemonError("BUS_REFUSED", `there is no Bus, and agentd cannot host one: ${error.message}`, {
      cause: error,
    });
  }
}

const transientErrors: ReadonlySet<LogErrorCode> = new Set(["full", "io", "busy"]);

/** For `agent.status`: the installed build if it is not the running one. */
function installedReply(own: Build, installed: DaemonOptions["installed"]): Pick<StatusReply, "installed"> {
  if (installed === undefined) return {};
  const now = installed();
  return now !== undefined && isSameBuild(own, now) ? {} : { installed: now ?? null };
}

function takeLock({ lockFile, pidFile }: InstancePaths, startedAt: string, build: Build, limits: Limits): InstanceLock {
  const held = classifyErrors(() =>
    acquireInstanceLock({
      lockFile,
      pidFile,
      pid: process.pid,
      identity: identityOf(process.pid),
      startedAt,
      build,
      waitMs: limits.lockWaitMs,
    }),
  );
  if (!held.ok) throw new DaemonError("ALREADY_RUNNING", held.message);
  return held.lock;
}

function classifyErrors<T>(take: () => T): T {
  try {
    return take();
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause : undefined;
    const passes =
      why !== undefined && "code" in why && /^(?:SQLITE_(?:FULL|IOERR)|ENOSPC|EDQUOT|EIO)/u.test(String(why.code));
    const text = why === undefined ? message : `${message}: ${why.message}`;
    throw new DaemonError(passes ? "STATE_UNAVAILABLE" : "STATE_REFUSED", text, { cause: error });
  }
}

function demoProgram(): string {
  return builtProgram("agentd/demo-agent/main.js");
}

function mcpProgram(): string {
  return builtProgram("bin/mixos-mcp.mjs");
}

/** The path beside this file if this is the built one, or in dist/ when run from source. */
function builtProgram(path: string): string {
  const here = fileURLToPath(new URL("..", import.meta.url));
  return here.endsWith("/dist/") ? join(here, path) : join(here, "dist", path);
}
