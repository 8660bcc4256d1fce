// SPDX-License-Identifier: MIT OR Apache-2.0
// Composes one agentd. It recovers sessions from the log before it connects to the Bus, and ends every agent before it
// closes the Bus, the log and the lock.
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { identityOf } from "../acp-client/process/process-identity.ts";
import {
  BusClient,
  type BusClientState,
  BusError,
  type Clock,
  provenanceOf,
  type Surroundings,
  systemClock,
} from "../bus-client/index.ts";
import { type Build, isSameBuild } from "../files/installed-build.ts";
import { createAgentCitizen } from "./agent-citizen.ts";
import { BusToolsWatch } from "./bus-tools.ts";
import { type BusEndpoint, createBusEndpoint } from "./bus-endpoint.ts";
import { builtProgram, ownPrograms } from "./built-program.ts";
import { builtInAgents } from "./catalogue/built-in.ts";
import { KnownCapabilities } from "./catalogue/known-capabilities.ts";
import { type PassedValues, readAgentValues, readPassedValues } from "./catalogue/passed-values.ts";
import { environmentWithStored } from "./catalogue/process-environment.ts";
import { programPlaces } from "./catalogue/program-places.ts";
import { EventLoopBudget } from "./client-side/event-loop-budget.ts";
import type { Instance } from "./commands/instance.ts";
import { Callers } from "./commands/callers.ts";
import { defaultLimits, type Limits } from "./config/limits.ts";
import { DaemonError } from "./daemon-error.ts";
import { noFailpoint, type Failpoint } from "./failpoint.ts";
import { acquireInstanceLock, type InstanceLock } from "./instance/lock.ts";
import type { InstancePaths } from "./instance/paths.ts";
import type { ProcessLog } from "./instance/process-log.ts";
import { Reserved, reservedPlaces } from "./instance/reserved.ts";
import { makeWithUserUmask } from "./instance/user-umask.ts";
import { type LaunchParts, planLaunch, planLogin } from "./launch.ts";
import { openLiveConfig } from "./live-config.ts";
import { Logins } from "./logins.ts";
import { Aborted, LogMaintenance } from "./log-maintenance.ts";
import { Leases } from "./leases/leases.ts";
import { SessionEditors } from "./leases/session-editors.ts";
import { LogError, type LogErrorCode } from "./log/log-error.ts";
import { type Log, type LogOptions, openLog } from "./log/open.ts";
import { findAnswerStatus } from "./people/answer-status.ts";
import { Notifier } from "./people/notifier.ts";
import { Probes } from "./probe/probes.ts";
import type { PlannedLaunch } from "./session/agents/agents.ts";
import { isLive, type SessionState } from "./session/core/state.ts";
import type { PostInput } from "./session/mailbox/mailbox.ts";
import { SessionCore } from "./session-core.ts";
import { newSessionId } from "./session/session-id.ts";
import { Shutdown } from "./shutdown.ts";
import { service, type StatusReply } from "./vocabulary/index.ts";

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
  const shutdown = new Shutdown(options.logger);
  try {
    return await compose(options, shutdown);
  } catch (error) {
    await shutdown.closeAll();
    throw error;
  }
}

async function compose(options: DaemonOptions, shutdown: Shutdown): Promise<Daemon> {
  const { logger, version } = options;
  const base = await openBase(options, shutdown);
  const { startedAt, log, maintenance, endpoint } = base;
  const busParts = openBusParts(base);
  const { client, busTools } = busParts;
  const { core, probes, leases } = openCore(base, busParts);
  const instance: Instance = { ...instanceOf(base, busParts, core), probes, leases, stopping: () => shutdown.hasBegun };
  const onQuit = (): Promise<void> => shutdown.begin("asked to quit over the Bus");
  const citizen = createAgentCitizen({ client, instance, version, startedAt, logger, onQuit });
  const ready = new Promise<void>((resolve) => {
    client.onState((state) => {
      logState(state, endpoint, logger);
      const isConnected = state.kind === "connected";
      core.onBus(isConnected);
      leases.onBus(isConnected);
      if (!isConnected) return;
      busTools.follow();
      resolve();
    });
  });

  await core.recover();
  await maintenance.finishPurges();
  shutdown.add(async () => {
    await core.stop();
    leases.stop();
    await citizen.stop();
    core.mailbox.stop();
  });
  citizen.start();
  maintenance.reclaimSpace().catch((error: unknown) => {
    if (!(error instanceof Aborted))
      logger.error({ err: error }, "the space of what was purged could not be given back");
  });
  return {
    log,
    busUrl: () => endpoint.url(),
    ready,
    stop: (why) => shutdown.begin(why),
    stopped: shutdown.done,
  };
}

/** Opens what everything else uses. It is closed in the reverse order, after everything else has stopped. */
async function openBase(options: DaemonOptions, shutdown: Shutdown) {
  const { paths, environment, home, uid, version, logger } = options;
  const build: Build = { version, build: options.build };
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const clock = options.clock ?? systemClock;
  const failpoint = options.failpoint ?? noFailpoint;
  const startedAt = new Date(clock.now()).toISOString();
  const lock = takeLock(paths, startedAt, build, limits);
  shutdown.add(() => lock.release());
  const builtIn = builtInAgents({ ...ownPrograms(), demoSessions: paths.demoSessionsDirectory, version });
  const config = openLiveConfig({ file: paths.configFile, home, uid, limits, builtIn, logger });
  shutdown.add(() => config.close());
  const log = openStore({
    file: paths.logFile,
    lockFile: paths.lockFile,
    clock,
    random: randomBytes,
    beforeCommit: () => failpoint("commit.before"),
  });
  shutdown.add(() => log.close());
  const forgetAgentSession = (agent: string, id: string): void => {
    if (agent === "demo") removeDemoSession(paths.demoSessionsDirectory, id);
  };
  const maintenance = new LogMaintenance(log, forgetAgentSession);
  shutdown.add(() => maintenance.stop());
  const surroundings = options.surroundings ?? { env: environment, uid, home };
  const reserved = new Reserved(reservedPlaces(paths, surroundings));
  const endpoint = createBusEndpoint({ surroundings, version, clock, warn: (message) => logger.warn(message) });
  shutdown.add(() => endpoint.close());
  await requireBus(endpoint);
  const stored = {
    environmentDirectory: paths.environmentDirectory,
    uid,
    bytesMax: limits.environmentValueBytesMax,
  };
  const passedValues = (names: readonly string[]): PassedValues =>
    readPassedValues({
      names,
      configFile: paths.configFile,
      allowEnv: config.settings().allowEnv,
      parent: environment,
      ...stored,
    });
  const agentValues = (agent: string): PassedValues => readAgentValues(stored, agent);
  const { settings, catalogue } = config;
  const environmentOf: Instance["environmentOf"] = (agent) =>
    environmentWithStored(agent, {
      environment,
      home,
      allowEnv: settings().allowEnv,
      stored: agentValues(agent.name),
    });
  return {
    options,
    build,
    limits,
    clock,
    failpoint,
    startedAt,
    config,
    settings,
    catalogue,
    capabilities: new KnownCapabilities(),
    log,
    maintenance,
    forgetAgentSession,
    reserved,
    endpoint,
    passedValues,
    temporaryDirectory: paths.temporaryDirectory,
    places: programPlaces({ paths, environment, home, uid }),
    agentValues,
    environmentOf,
  };
}

/** The demo agent has one file for each session. An agent of the configuration may have the name, and ids of any form. */
function removeDemoSession(directory: string, id: string): void {
  if (/^[0-9a-f-]{36}$/.test(id)) rmSync(join(directory, `${id}.json`), { force: true });
}

type Base = Awaited<ReturnType<typeof openBase>>;

/** The client is not started yet. */
function openBusParts({ options: { logger }, endpoint, build, startedAt, clock, limits }: Base) {
  const client = new BusClient({
    url: () => endpoint.find(),
    name: service,
    provenance: provenanceOf("agentd", build, startedAt),
    nameTaken: "retry",
    // People wait at their command lines for agentd meanwhile.
    retryMsMax: 5_000,
    clock,
  });
  const busTools = new BusToolsWatch({
    bus: client,
    pause: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
    graceMs: limits.busToolsGraceMs,
    onError: (error) => logger.debug({ err: error }, "the services on the Bus could not be listed"),
  });
  return { client, callers: new Callers(), busTools };
}

function openLeases({ options: { logger }, clock, limits }: Base, bus: BusClient, post: PostInput): Leases {
  return new Leases({
    bus,
    after: (ms, run) => clock.after(ms, run),
    limits,
    onAttached: (session) => post(session, { type: "editor_attached" }),
    onLeft: ({ session, ...left }) => post(session, { type: "editor_left", ...left }),
    onError: (error) => logger.debug({ err: error }, "whether editors are on the Bus could not be seen"),
  });
}

type BusParts = ReturnType<typeof openBusParts>;

function openCore(base: Base, { client, callers, busTools }: BusParts) {
  const { options, log, limits, clock, settings, endpoint, forgetAgentSession } = base;
  const { environment, home, paths, version, logger } = options;
  const leases = openLeases(base, client, (session, input) => core.mailbox.post(session, input));
  const launchParts: LaunchParts = {
    ...base,
    version,
    home,
    environment,
    withUserUmask: makeWithUserUmask(options.umask),
    editorsOf: (session) => new SessionEditors({ leases, bus: client, session, callMs: limits.leaseCallMs }),
    eventLoopBudget: new EventLoopBudget({ turnMs: limits.clientSideTurnMs }),
    busTools: () => ({
      nodeProgram: process.execPath,
      mcpProgram: builtProgram("bin/mixos-mcp.cjs"),
      busUrl: endpoint.url(),
    }),
  };
  const plan = (state: SessionState): PlannedLaunch => {
    busTools.expect(state.id);
    return planLaunch(launchParts, state);
  };
  const probes = new Probes({
    log,
    limits,
    plan,
    workspacesDirectory: paths.workspacesDirectory,
    newId: () => unusedSessionId(log),
    now: () => clock.now(),
    busTools,
    givesBusTools: () => settings().busTools,
    forgetAgentSession,
    startTimeoutMs: (agent) => base.catalogue().get(agent)?.startTimeoutMs,
  });
  const core = new SessionCore({
    ...base,
    logins: new Logins({
      find: (agent) => planLogin(launchParts, agent),
      clock,
      waitMs: limits.loginWaitMs,
    }),
    logger,
    bus: client,
    busTools,
    probes,
    reply: (reply) => callers.reply(reply),
    plan,
    openPeople: (post) =>
      new Notifier({
        bus: client,
        service: () => settings().notify,
        label: `agentd/${log.id}`,
        post,
        answerStatus: (session, request) => findAnswerStatus(log.entries, session, request),
        after: (ms, run) => clock.after(ms, run),
        logger,
        limits,
      }),
  });
  core.sessions.onChange((state) => {
    if (!isLive(state)) leases.endSession(state.id);
  });
  return { core, probes, leases };
}

function unusedSessionId(log: Log): string {
  return newSessionId(randomBytes, (id) => log.sessions.row(id) !== undefined);
}

function instanceOf(
  base: Base,
  { client, callers }: BusParts,
  core: SessionCore,
): Omit<Instance, "stopping" | "probes" | "leases"> {
  const { options, build, startedAt, log, config, settings, reserved, endpoint } = base;
  const { home, installed } = options;
  const { configFile, workspacesDirectory } = options.paths;
  const { sessions, mailbox, quota, people } = core;
  return {
    ...base,
    sessions,
    mailbox,
    quota,
    callers,
    directoryRules: () => ({ configFile, roots: settings().roots, home, workspacesDirectory, reserved }),
    newSessionId: () => unusedSessionId(log),
    configProblem: () => config.status().error,
    status: () => ({
      pid: process.pid,
      ...build,
      ...installedReply(build, installed),
      started_at: startedAt,
      bus: {
        url: endpoint.url(),
        embedded: endpoint.embedded(),
        state: client.state.kind,
        generation: client.generation,
      },
      config: config.status(),
      people: { service: settings().notify ?? null, state: people.reach },
    }),
  };
}

function logState(state: BusClientState, endpoint: BusEndpoint, logger: DaemonOptions["logger"]): void {
  if (state.kind === "connected") {
    logger.info({ bus: endpoint.url(), embedded: endpoint.embedded() }, "on the Bus as agent");
  }
  if (state.kind === "disconnected") logger.warn({ err: state.cause, retryInMs: state.retryInMs }, "not on the Bus");
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
