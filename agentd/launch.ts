// SPDX-License-Identifier: MIT OR Apache-2.0
// Plans how an agent is started for a session: program, environment, MCP servers, limits. Read anew at each start, so
// that a changed catalogue or a new login takes effect.
import type { AgentFailure } from "../acp-client/agent-events.ts";
import type { AgentSink } from "../acp-client/agent-client.ts";
import { startAgent } from "../acp-client/client.ts";
import type { ClientSide } from "../acp-client/client-side.ts";
import { busToolsGoneMessage, busToolsServer } from "./bus-tools.ts";
import { agentEnvironment, sessionMarker } from "./catalogue/environment.ts";
import { findAgent, notFoundMessage } from "./catalogue/find-program.ts";
import { lookUpPassedValues } from "./catalogue/passed-values.ts";
import { redactor, secretValues } from "./catalogue/secret-values.ts";
import { ClientRequestHandler } from "./client-side/client-request-handler.ts";
import type { Instance } from "./commands/instance.ts";
import { isStillReal } from "./instance/directories.ts";
import { LogError } from "./log/log-error.ts";
import type { Limits } from "./config/limits.ts";
import { type RequestedServer, variablesOf, resolveValues } from "./mcp-servers.ts";
import type { PlannedLaunch } from "./session/agents/agents.ts";
import type { SessionState } from "./session/core/state.ts";

export function planLaunch(instance: Instance, version: string, state: SessionState): PlannedLaunch {
  try {
    return plan(instance, version, state);
  } catch (error) {
    if (error instanceof LogError) return unavailable(`the log could not be read: ${error.message}`);
    throw error;
  }
}

function plan(instance: Instance, version: string, state: SessionState): PlannedLaunch {
  const definition = instance.catalogue().get(state.agent);
  if (!definition) return unavailable(`agent "${state.agent}" is no longer in the catalogue`);
  const directories = [state.cwd, ...state.additionalDirs];
  // Their real paths were checked when the command came.
  const moved = directories.find((directory) => !isStillReal(directory));
  if (moved !== undefined) return unavailable(`${JSON.stringify(moved)} was removed or replaced by a link`);
  const [, ...args] = definition.command;
  const found = findAgent(definition, instance.environment["PATH"]);
  if (found.status !== "installed") return unavailable(notFoundMessage(found));
  const asked = JSON.parse(instance.log.literals(state.id) ?? "[]") as RequestedServer[];
  const passed = lookUpPassedValues(instance, state.env);
  if (!passed.ok) return unavailable(passed.message);
  const forServers = lookUpPassedValues(instance, variablesOf(asked));
  if (!forServers.ok) return unavailable(forServers.message);
  const marker = { name: sessionMarker, value: `${instance.log.id}/${state.id}` };
  const env = agentEnvironment({
    parent: instance.environment,
    agent: definition.env,
    unset: definition.unset ?? [],
    passed: passed.values,
    onlyWhenPassed: instance.settings().allowEnv,
    marker,
  });
  const redactorFor = (more: Readonly<Record<string, string>>) =>
    redactor([...secretValues({ ...env, ...more }, passed.values), ...Object.values(forServers.values)]);
  const redact = redactorFor({});
  const options = {
    protocol: definition.protocol,
    clientInfo: { name: "agentd", version },
    command: [found.file, ...args] as const,
    cwd: state.cwd,
    env,
    marker,
    redact,
    stderrBytesMax: instance.limits.stderrTailBytes,
    limits: clientLimits(instance.limits, definition.startTimeoutMs),
  };
  const { busTools, mcpDeny: denied } = instance.settings();
  const toBus = busTools ? { ...instance.busTools(), denied, marker: marker.value } : undefined;
  const busToolsProblem = toBus === undefined ? undefined : busToolsGoneMessage(toBus);
  const own = toBus === undefined || busToolsProblem !== undefined ? [] : [busToolsServer(toBus)];
  const mcpServers = [...own, ...asked.map((server) => resolveValues(server, forServers.values))];
  const { missingFileIsEmpty = false } = definition;
  const clientRequestOptions = {
    cwd: state.cwd,
    directories,
    reserved: instance.reserved,
    env,
    redact,
    redactorFor,
    missingFileIsEmpty,
    withUserUmask: instance.withUserUmask,
    eventLoopBudget: instance.eventLoopBudget,
    limits: instance.limits,
  };
  return {
    ok: true,
    launch: {
      start: (sink: AgentSink, clientSide: ClientSide) =>
        instance.withUserUmask(() =>
          startAgent({ ...options, clientSide: { ...clientSide, elicitation: { modes: ["form", "url"] } } }, sink),
        ),
      openClientRequests: (hooks) => new ClientRequestHandler(clientRequestOptions, hooks),
      mcpServers,
      chosenOptions: Object.entries(instance.log.sessions.row(state.id)?.latest.chosen ?? {}),
      ...(busToolsProblem === undefined ? {} : { busToolsProblem }),
    },
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
    stop: { stdinGraceMs: limits.stdinGraceMs, termGraceMs: limits.termGraceMs },
  };
}

function unavailable(message: string): PlannedLaunch {
  const failure: AgentFailure = { code: "AGENT_UNAVAILABLE", message };
  return { ok: false, failure };
}
