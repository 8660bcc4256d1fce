// SPDX-License-Identifier: MIT OR Apache-2.0
// Plans how an agent is started for a session: program, environment, MCP servers, limits. Read anew at each start, so
// that a changed catalogue or a new login takes effect.
import type { AgentFailure } from "../acp-client/agent-events.ts";
import type { AgentInfo } from "../acp-client/model.ts";
import { startAgent } from "../acp-client/client.ts";
import { busToolsGoneMessage, type BusToolsServer, busToolsServer } from "./bus-tools.ts";
import type { AgentDefinition, StartPlace } from "./catalogue/agents/definition.ts";
import { definitionOf } from "./catalogue/catalogue.ts";
import { agentEnvironment, sessionMarker } from "./catalogue/environment.ts";
import { findAgent, notFoundMessage } from "./catalogue/find-program.ts";
import { quirksOf } from "./catalogue/quirks.ts";
import { redactor, secretValues } from "./catalogue/secret-values.ts";
import { ClientRequestHandler } from "./client-side/client-request-handler.ts";
import type { EventLoopBudget } from "./client-side/event-loop-budget.ts";
import type { Instance } from "./commands/instance.ts";
import type { Limits } from "./config/limits.ts";
import { isStillReal } from "./instance/directories.ts";
import type { Reserved } from "./instance/reserved.ts";
import type { WithUserUmask } from "./instance/user-umask.ts";
import { LogError } from "./log/log-error.ts";
import { type RequestedServer, variablesOf, resolveValues } from "./mcp-servers.ts";
import { EvidenceCollector } from "./people/policy-evidence.ts";
import type { Launch } from "./session/agents/agent-run.ts";
import type { PlannedLaunch } from "./session/agents/agents.ts";
import type { SessionState } from "./session/core/state.ts";

export interface LaunchParts extends Pick<
  Instance,
  "log" | "limits" | "settings" | "catalogue" | "passedValues" | "capabilities"
> {
  readonly version: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly reserved: Reserved;
  readonly withUserUmask: WithUserUmask;
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
  const [, ...args] = definition.command;
  const found = findAgent(definition, parts.environment["PATH"]);
  if (found.status !== "installed") return unavailable(notFoundMessage(found));
  const asked = JSON.parse(log.literals(state.id) ?? "[]") as RequestedServer[];
  const passed = parts.passedValues(state.env);
  if (!passed.ok) return unavailable(passed.message);
  const forServers = parts.passedValues(variablesOf(asked));
  if (!forServers.ok) return unavailable(forServers.message);
  const marker = { name: sessionMarker, value: `${log.id}/${state.id}` };
  const env = agentEnvironment({
    parent: parts.environment,
    agent: definition.env,
    unset: definition.unset ?? [],
    passed: passed.values,
    onlyWhenPassed: parts.settings().allowEnv,
    marker,
  });
  const redactorFor = (more: Readonly<Record<string, string>>) =>
    redactor([...secretValues({ ...env, ...more }, passed.values), ...Object.values(forServers.values)]);
  const redact = redactorFor({});
  const options = {
    protocol: definition.protocol,
    clientInfo: { name: "agentd", version: parts.version },
    command: [found.file, ...args] as const,
    cwd,
    env,
    marker,
    redact,
    stderrBytesMax: limits.stderrTailBytes,
    limits: clientLimits(limits, definition.startTimeoutMs),
    quirksOf: (info: AgentInfo | null | undefined) => quirksOf(definition, info),
  };
  const served = { cwd, directories, reserved, env, redact, redactorFor };
  const bus = busToolsFor(parts, marker.value);
  const launch: Launch = {
    start: (sink, clientSide) =>
      withUserUmask(() =>
        startAgent({ ...options, clientSide: { ...clientSide, elicitation: { modes: ["form", "url"] } } }, sink),
      ),
    openClientRequests: (hooks) =>
      new ClientRequestHandler({ ...served, withUserUmask, eventLoopBudget, limits }, hooks),
    quirksOf: options.quirksOf,
    mcpServers: [...bus.servers, ...asked.map((server) => resolveValues(server, forServers.values))],
    chosenOptions: Object.entries(log.sessions.row(state.id)?.latest.chosen ?? {}),
    onIdentity: (identity) => parts.capabilities.learn(definition.command, found.file, identity),
    ...startProblemOf(definition, { cwd, home: parts.home, environment: env }),
    ...evidenceFor(parts, state),
    ...(bus.problem === undefined ? {} : { busToolsProblem: bus.problem }),
  };
  return { ok: true, launch };
}

function startProblemOf({ findStartProblem }: AgentDefinition, place: StartPlace): Pick<Launch, "startProblem"> {
  const startProblem = findStartProblem?.(place);
  return startProblem === undefined ? {} : { startProblem };
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
  const failure: AgentFailure = { code: "AGENT_UNAVAILABLE", message };
  return { ok: false, failure };
}
