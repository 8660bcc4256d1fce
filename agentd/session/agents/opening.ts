// SPDX-License-Identifier: MIT OR Apache-2.0
// From a started process to an open session: initialize, then the agent's new session, or its way back to an old one.
import type { AgentClient, OpenSessionParams } from "../../../acp-client/agent-client.ts";
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { AgentCapabilities, AgentIdentity, McpServer } from "../../../acp-client/model.ts";
import type { SessionInput } from "../core/input.ts";
import type { SessionState } from "../core/state.ts";

/** Failures that another way would only meet again. */
const final: ReadonlySet<AgentFailure["code"]> = new Set(["AGENT_AUTH", "AGENT_EXITED", "AGENT_UNAVAILABLE"]);

export function openAgentSession(
  client: AgentClient,
  state: SessionState,
  mcpServers: readonly McpServer[],
  tell: (input: SessionInput) => void,
): void {
  const { cwd, additionalDirs: additionalDirectories, agentSide, life } = state;
  const common = { cwd, additionalDirectories, mcpServers };
  const way = life.phase === "starting" ? life.way : "new";
  client.initialize((initialized) => {
    if (!initialized.ok) return tell({ type: "open_failed", failure: initialized.failure });
    const identity = initialized.value;
    if (way === "again" && agentSide) {
      const requests = waysBack(identity.capabilities, { ...common, sessionId: agentSide.sessionId });
      return tryWays(client, identity, requests, undefined, tell);
    }
    client.open({ how: "new", ...common }, (opened) => {
      if (!opened.ok) tell({ type: "open_failed", failure: opened.failure });
      else tell({ type: "came_up", identity, opened: opened.value, ...(way === "fresh" ? { resumed: way } : {}) });
    });
  });
}

type WayBack = Extract<OpenSessionParams, { readonly how: "resume" | "load" }>;

/** The way without a replay first. */
function waysBack(offered: AgentCapabilities, request: Omit<WayBack, "how">): readonly WayBack[] {
  const ways: WayBack[] = [];
  if (offered.resume) ways.push({ how: "resume", ...request });
  if (offered.load) ways.push({ how: "load", ...request });
  return ways;
}

function tryWays(
  client: AgentClient,
  identity: AgentIdentity,
  [request, ...others]: readonly WayBack[],
  last: AgentFailure | undefined,
  tell: (input: SessionInput) => void,
): void {
  if (!request) return tell({ type: "not_resumable", ...(last ? { failure: last } : {}) });
  client.open(request, (opened) => {
    if (opened.ok) return tell({ type: "came_up", identity, opened: opened.value, resumed: request.how });
    if (final.has(opened.failure.code)) return tell({ type: "open_failed", failure: opened.failure });
    tell({ type: "way_refused", way: request.how, failure: opened.failure });
    tryWays(client, identity, others, opened.failure, tell);
  });
}
