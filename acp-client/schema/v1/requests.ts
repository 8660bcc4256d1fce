// SPDX-License-Identifier: MIT OR Apache-2.0
// Builds the params and results that we send to a v1 agent, valid by the official schema.
import type { OpenSessionParams } from "../../agent-client.ts";
import { AcpClientError } from "../../client-error.ts";
import type { ClientSide } from "../../client-side.ts";
import type { ContentBlock, McpServer, PermissionOption, RequestAnswer } from "../../model.ts";
import type { OptionChange } from "../../session-options.ts";

export const METHODS = {
  initialize: "initialize",
  authenticate: "authenticate",
  logout: "logout",
  newSession: "session/new",
  load: "session/load",
  resume: "session/resume",
  prompt: "session/prompt",
  cancel: "session/cancel",
  setMode: "session/set_mode",
  setModel: "session/set_model",
  setConfigOption: "session/set_config_option",
  list: "session/list",
  close: "session/close",
  delete: "session/delete",
  update: "session/update",
  requestPermission: "session/request_permission",
  elicitationCreate: "elicitation/create",
  elicitationComplete: "elicitation/complete",
} as const;

/** An extension of Claude's and Codex's agents: a prompt for the running turn. */
export const STEERING = "_session/steering";

/** Asks the agent not to begin a turn by itself, of which nobody would hear the end. */
export function steeringParams(sessionId: string, prompt: readonly ContentBlock[]): object {
  return { sessionId, prompt, _meta: { steering: { idleBehavior: "promptRequired" } } };
}

export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** Advertises what `clientSide` serves. */
export function initializeParams(clientInfo: ClientInfo, clientSide: ClientSide): object {
  const fs = clientSide.fs !== undefined;
  const modes = clientSide.elicitation?.modes ?? [];
  return {
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: fs, writeTextFile: fs },
      terminal: clientSide.terminal !== undefined,
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      auth: { terminal: true },
      // Omitted if empty: some agents take an empty object for support.
      ...(modes.length > 0 && { elicitation: Object.fromEntries(modes.map((mode) => [mode, {}])) }),
      // Agents of before `auth` name the command of a terminal login only to a client that says this.
      _meta: { "terminal-auth": true },
    },
    clientInfo: { name: clientInfo.name, version: clientInfo.version },
  };
}

/**
 * Builds the params of session/new, session/load and session/resume. An empty additionalDirectories is omitted, for
 * agents that do not know it.
 */
export function openParams(request: OpenSessionParams): object {
  const { cwd, additionalDirectories } = request;
  return {
    ...(request.how === "new" ? {} : { sessionId: request.sessionId }),
    cwd,
    mcpServers: request.mcpServers.map(mcpServer),
    ...(additionalDirectories.length === 0 ? {} : { additionalDirectories }),
  };
}

/** Returns the method and the params that set an option. */
export function setOptionRequest(
  sessionId: string,
  configId: string,
  change: Exclude<OptionChange, { type: "refused" }>,
): readonly [string, object] {
  switch (change.type) {
    case "mode":
      return [METHODS.setMode, { sessionId, modeId: change.id }];
    case "model":
      return [METHODS.setModel, { sessionId, modelId: change.id }];
    case "config":
      return [METHODS.setConfigOption, setConfigOptionParams(sessionId, configId, change.value)];
  }
}

/** A boolean is sent with its type, a select's value without, as in the older form of the request. */
function setConfigOptionParams(sessionId: string, configId: string, value: string | boolean): object {
  return typeof value === "boolean" ? { sessionId, configId, type: "boolean", value } : { sessionId, configId, value };
}

export function listParams(cwd: string | undefined, cursor: string | undefined): object {
  return { ...(cwd === undefined ? {} : { cwd }), ...(cursor === undefined ? {} : { cursor }) };
}

/**
 * Encodes the answer to a permission. Throws OPTION_NOT_OFFERED for an option that the agent did not offer, since some
 * agents take an unknown option for an allow.
 */
export function permissionResult(answer: RequestAnswer, options: readonly PermissionOption[] = []): object {
  if (answer.outcome !== "selected") return { outcome: { outcome: "cancelled" } };
  const { option: optionId } = answer;
  if (options.some((offered) => offered.optionId === optionId)) return { outcome: { outcome: "selected", optionId } };
  throw new AcpClientError("OPTION_NOT_OFFERED", `The agent did not offer the option "${optionId}"`);
}

export function elicitationResult(answer: RequestAnswer): object {
  if (answer.outcome === "decline") return { action: "decline" };
  if (answer.outcome !== "accept") return { action: "cancel" };
  return answer.content === undefined ? { action: "accept" } : { action: "accept", content: answer.content };
}

/** Returns the result for a request that the agent cancelled; undefined if it is not one that waits for a person. */
export function cancelledResult(method: string): object | undefined {
  if (method === METHODS.requestPermission) return permissionResult({ outcome: "cancelled" });
  return method === METHODS.elicitationCreate ? elicitationResult({ outcome: "cancel" }) : undefined;
}

/** Omits `type` for a stdio server, as v1 does: some agents refuse "stdio". */
function mcpServer(server: McpServer): object {
  if ("type" in server) {
    const { type, name, url, headers } = server;
    return { type, name, url, headers: headers.map(pair) };
  }
  const { name, command, args, env } = server;
  return { name, command, args: [...args], env: env.map(pair) };
}

function pair(entry: { readonly name: string; readonly value: string }): object {
  return { name: entry.name, value: entry.value };
}
