// SPDX-License-Identifier: MIT OR Apache-2.0
// Plans how an agent is started for a session: program, environment, MCP servers, limits. Read anew at each start, so
// that a changed catalogue or a new login takes effect.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { AgentFailure } from "../acp-client/agent-events.ts";
import type { AgentInfo } from "../acp-client/model.ts";
import { attempt } from "../files/attempt.ts";
import { makeDirectories } from "../files/make-directories.ts";
import { startAgent } from "../acp-client/client.ts";
import type { LoginAdvice } from "../acp-client/failure.ts";
import { busToolsGoneMessage, type BusToolsServer, busToolsServer } from "./bus-tools.ts";
import { definitionOf } from "./catalogue/catalogue.ts";
import { sessionMarker } from "./catalogue/environment.ts";
import type { AgentDefinition } from "./catalogue/agents/definition.ts";
import { type GivenValues, keyAdvice } from "./catalogue/key-advice.ts";
import { keylessLogins, quietLogins } from "./catalogue/quiet-logins.ts";
import { findAgent, notFoundMessage } from "./catalogue/find-program.ts";
import type { PassedValues } from "./catalogue/passed-values.ts";
import { processEnvironment } from "./catalogue/process-environment.ts";
import { publishedAgent, quirksOf } from "./catalogue/quirks.ts";
import { redactor, secretValues } from "./catalogue/secret-values.ts";
import { ClientRequestHandler } from "./client-side/client-request-handler.ts";
import type { EventLoopBudget } from "./client-side/event-loop-budget.ts";
import type { Instance } from "./commands/instance.ts";
import type { Limits } from "./config/limits.ts";
import type { Editors } from "./leases/session-editors.ts";
import { isStillReal } from "./instance/directories.ts";
import type { Reserved } from "./instance/reserved.ts";
import type { WithUserUmask } from "./instance/user-umask.ts";
import type { LoginAgent } from "./logins.ts";
import { LogError } from "./log/log-error.ts";
import { type RequestedServer, variablesOf, resolveValues } from "./mcp-servers.ts";
import { EvidenceCollector } from "./people/policy-evidence.ts";
import { instanceSession } from "./vocabulary/index.ts";
import type { Launch } from "./session/agents/agent-run.ts";
import type { PlannedLaunch } from "./session/agents/agents.ts";
import type { ChosenOption, SessionState } from "./session/core/state.ts";
import type { CommandEntry } from "./vocabulary/entries.ts";

export interface LaunchParts extends Pick<
  Instance,
  "log" | "limits" | "settings" | "catalogue" | "places" | "passedValues" | "agentValues" | "capabilities"
> {
  readonly version: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** In which each running agent has a directory for its temporary files. */
  readonly temporaryDirectory: string;
  readonly reserved: Reserved;
  readonly withUserUmask: WithUserUmask;
  /** The editors that serve a session's agent. */
  readonly editorsOf: (session: string) => Editors;
  /** Limits how long agents' file requests block the event loop. */
  readonly eventLoopBudget: EventLoopBudget;
  /** The MCP server that gives agents access to the Bus, and the Bus's URL. */
  readonly busTools: () => Pick<BusToolsServer, "nodeProgram" | "mcpProgram" | "busUrl">;
}

export function planLaunch(parts: LaunchParts, state: SessionState): PlannedLaunch {
  try {
    return plan(parts, state);
  } catch (error) {
    if (error instanceof LogError) return unavailable(`the log could not be read: ${error.message}`);
    throw error;
  }
}

function plan(parts: LaunchParts, state: SessionState): PlannedLaunch {
  const { log, limits, reserved, withUserUmask, eventLoopBudget } = parts;
  const definition = definitionOf(parts.catalogue(), state);
  if (!definition) return unavailable(`agent "${state.agent}" is no longer in the catalogue`);
  const { cwd, additionalDirs } = state;
  const directories = [cwd, ...additionalDirs];
  // Their real paths were checked when the command came.
  const moved = directories.find((directory) => !isStillReal(directory));
  if (moved !== undefined) return unavailable(`${JSON.stringify(moved)} was removed or replaced by a link`);
  const found = findAgent(definition, parts.places, directories);
  if (found.status !== "installed") return unavailable(notFoundMessage(found));
  const asked = JSON.parse(log.literals(state.id) ?? "[]") as RequestedServer[];
  const passed = valuesFor(parts, state);
  if (!passed.ok) return unavailable(passed.message);
  const forServers = parts.passedValues(variablesOf(asked));
  if (!forServers.ok) return unavailable(forServers.message);
  const marker = { name: sessionMarker, value: `${log.id}/${state.id}` };
  const temporary = join(parts.temporaryDirectory, `${state.id}-${state.runSeq}`);
  const env = processEnvironment(definition, {
    ...environmentParts(parts),
    values: passed.values,
    sessionDirectories: directories,
    temporaryDirectory: temporary,
    marker,
  });
  const redactorFor = (more: Readonly<Record<string, string>>) =>
    redactor([...secretValues({ ...env, ...more }, passed.values), ...Object.values(forServers.values)]);
  const redact = redactorFor({});
  const options = {
    protocol: definition.protocol,
    clientInfo: { name: "agentd", version: parts.version },
    login: loginOf(definition, state, { environment: env, passed: state.env, stored: Object.keys(passed.values) }),
    command: found.command,
    cwd,
    env,
    marker,
    redact,
    stderrBytesMax: limits.stderrTailBytes,
    limits: clientLimits(limits, definition.startTimeoutMs),
    quirksOf: (info: AgentInfo | null | undefined) => quirksOf(definition, info),
  };
  const editors = parts.editorsOf(state.id);
  const served = { cwd, directories, reserved, env, redact, redactorFor, editors };
  const bus = busToolsFor(parts, marker.value);
  const launch: Launch = {
    start(sink, clientSide) {
      // Without it, on a full disk say, the agent says itself what it cannot do.
      attempt(() => makeDirectories(temporary));
      const elicitation = { modes: ["form", "url"] } as const;
      return withUserUmask(() => startAgent({ ...options, clientSide: { ...clientSide, elicitation } }, sink));
    },
    // What cannot be removed now is removed when agentd starts.
    cleanUp: () => rm(temporary, { recursive: true, force: true }).catch(() => undefined),
    openClientRequests: (hooks) =>
      new ClientRequestHandler({ ...served, withUserUmask, eventLoopBudget, limits }, hooks),
    quirksOf: options.quirksOf,
    mcpServers: [...bus.servers, ...asked.map((server) => resolveValues(server, forServers.values))],
    quietLogins: (info) => quietLogins(publishedAgent(definition.name, info), env),
    chosenOptions: chosenOptions(log, state),
    onIdentity: (identity) => parts.capabilities.learn(definition.command, found.file, identity),
    findStartProblem: (info) =>
      publishedAgent(definition.name, info)?.findStartProblem?.({ cwd, home: parts.home, environment: env }),
    ...evidenceFor(parts, state),
    ...(bus.problem === undefined ? {} : { busToolsProblem: bus.problem }),
  };
  return { ok: true, launch };
}

/** Plans how an agent is started to log in, without a session: in the home directory, and it may ask for nothing. */
export function planLogin(parts: LaunchParts, agent: string): LoginAgent | AgentFailure {
  const { log, limits, withUserUmask } = parts;
  const definition = parts.catalogue().get(agent);
  if (!definition) return failureOf(`agent "${agent}" is no longer in the catalogue`);
  const found = findAgent(definition, parts.places);
  if (found.status !== "installed") return failureOf(notFoundMessage(found));
  const own = parts.agentValues(agent);
  if (!own.ok) return failureOf(own.message);
  const marker = { name: sessionMarker, value: `${log.id}/${instanceSession}` };
  const env = processEnvironment(definition, { ...environmentParts(parts), values: own.values, marker });
  const { command } = found;
  const program = command.slice(0, command.length - definition.command.length + 1);
  const options = {
    protocol: definition.protocol,
    clientInfo: { name: "agentd", version: parts.version },
    login: { agent },
    command,
    cwd: parts.home,
    env,
    marker,
    redact: redactor(secretValues(env, own.values)),
    stderrBytesMax: limits.stderrTailBytes,
    limits: { ...clientLimits(limits, definition.startTimeoutMs), requestTimeoutMs: limits.loginTimeoutMs },
    clientSide: { elicitation: { modes: ["form", "url"], outsideSessions: true } },
  } as const;
  const { loginArguments } = definition;
  return {
    start: (sink) => withUserUmask(() => startAgent(options, sink)),
    command,
    keyless: (info) => keylessLogins(publishedAgent(definition.name, info), env),
    ownLogin: loginArguments && [...program, ...loginArguments],
    terminalLogins: (info) => publishedAgent(agent, info)?.terminalLogins ?? [],
  };
}

/** The values of the agent, and those that the start passes on, which come first. */
function valuesFor({ passedValues, agentValues }: LaunchParts, { agent, command, env }: SessionState): PassedValues {
  const passed = passedValues(env);
  // A program that the catalogue does not have may have any name.
  if (!passed.ok || command !== undefined) return passed;
  const own = agentValues(agent);
  return own.ok ? { ok: true, values: { ...own.values, ...passed.values } } : own;
}

/** A program that the catalogue does not have cannot be logged in to by name. */
function loginOf(definition: AgentDefinition, { command }: SessionState, given: GivenValues): LoginAdvice {
  return command === undefined ? keyAdvice(definition, given) : { agent: definition.name };
}

function environmentParts({ environment, home, settings }: LaunchParts) {
  return { environment, home, allowEnv: settings().allowEnv };
}

/** Returns the options that the new agent process gets: of a session that never came up, those of its start. */
function chosenOptions(log: LaunchParts["log"], { id, run, agentSide }: SessionState): ChosenOption[] {
  if (run.phase === "starting" && run.openMode === "new" && agentSide === null) {
    const first = JSON.parse(log.entries.body(id, 1) ?? "{}") as Partial<CommandEntry>;
    return Object.entries((first.args?.["config"] ?? {}) as Record<string, string | boolean>);
  }
  return Object.entries(log.sessions.row(id)?.latest.chosen ?? {});
}

/** Returns the MCP server that leads to the Bus, or why it is missing. */
function busToolsFor({ settings, busTools }: LaunchParts, marker: string) {
  if (!settings().busTools) return { servers: [] };
  const toBus = { ...busTools(), denied: settings().mcpDeny, marker };
  const problem = busToolsGoneMessage(toBus);
  return problem === undefined ? { servers: [busToolsServer(toBus)] } : { servers: [], problem };
}

function evidenceFor({ settings, reserved, limits }: LaunchParts, { policy }: SessionState): Pick<Launch, "evidence"> {
  if (policy === undefined) return {};
  const { policyPathsMax: pathsMax, openToolCallsMax: callsMax } = limits;
  return {
    evidence: new EvidenceCollector({ policy: () => settings().policies.get(policy), reserved, pathsMax, callsMax }),
  };
}

function clientLimits(limits: Limits, startTimeoutMs: number | undefined) {
  return {
    lineBytesMax: limits.lineBytesMax,
    depthMax: limits.messageLevelsMax,
    valuesMax: limits.messageValuesMax,
    initializeTimeoutMs: startTimeoutMs ?? limits.initializeTimeoutMs,
    openTimeoutMs: startTimeoutMs ?? limits.openTimeoutMs,
    requestTimeoutMs: limits.requestTimeoutMs,
    closeTimeoutMs: limits.closeRequestTimeoutMs,
    replayQuietMs: limits.replayQuietMs,
    replayWaitMsMax: limits.replayWaitMsMax,
    stop: { stdinGraceMs: limits.stdinGraceMs, termGraceMs: limits.termGraceMs },
  };
}

function unavailable(message: string): PlannedLaunch {
  return { ok: false, failure: failureOf(message) };
}

function failureOf(message: string): AgentFailure {
  return { code: "AGENT_UNAVAILABLE", message };
}
