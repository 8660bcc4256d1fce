// SPDX-License-Identifier: MIT OR Apache-2.0
// Opens the session of a started agent: initialize, then session/new, or session/resume and session/load to restore
// one.
import type { AgentClient, OpenSessionParams } from "../../../acp-client/agent-client.ts";
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { AgentCapabilities, AgentIdentity, AgentInfo, McpServer } from "../../../acp-client/model.ts";
import type { AgentQuirks } from "../../config/settings.ts";
import type { SessionInput } from "../core/input.ts";
import { findLoadProblem } from "../core/resume.ts";
import type { SessionState } from "../core/state.ts";

export interface OpeningOptions {
  readonly mcpServers: readonly McpServer[];
  /** The agent's quirks, by what it calls itself in its response to initialize. */
  readonly quirksOf: (info: AgentInfo | null | undefined) => AgentQuirks;
  /** Called with the agent's answer to initialize. */
  readonly onIdentity?: (identity: AgentIdentity) => void;
  /** Returns the login methods of the agent that ask nobody anything here. Default: none. */
  readonly quietLogins?: (info: AgentInfo | null) => readonly string[];
  /** Returns what the agent would not say of itself, for the session's log. */
  readonly findStartProblem?: (info: AgentInfo | null) => Omit<StartProblemInput, "type"> | undefined;
}

/** Failures that another method would meet too. */
const finalFailures: ReadonlySet<AgentFailure["code"]> = new Set(["AGENT_AUTH", "AGENT_EXITED", "AGENT_UNAVAILABLE"]);

export function openAgentSession(
  client: AgentClient,
  state: SessionState,
  {
    mcpServers,
    quirksOf,
    onIdentity,
    quietLogins,
    findStartProblem,
    now,
  }: OpeningOptions & { readonly now: () => number },
  post: (input: SessionInput) => void,
): void {
  const { cwd, additionalDirs: additionalDirectories, agentSide, run } = state;
  const common = { cwd, additionalDirectories, mcpServers };
  const openMode = run.phase === "starting" ? run.openMode : "new";
  client.initialize((initialized) => {
    if (!initialized.ok) return post({ type: "open_failed", failure: initialized.failure });
    const identity = initialized.value;
    onIdentity?.(identity);
    const startProblem = findStartProblem?.(identity.info);
    if (startProblem !== undefined) post({ type: "start_problem", ...startProblem });
    const open = openerOf(client, identity, quietLogins?.(identity.info) ?? []);
    const openNew = (how: Pick<OpenedInput, "resumed" | "freshBecause">): void =>
      open({ how: "new", ...common }, (opened) => {
        if (!opened.ok) post({ type: "open_failed", failure: opened.failure });
        else post({ type: "opened", identity, opened: opened.value, ...how });
      });
    if (openMode !== "restore" || !agentSide) return openNew(openMode === "fresh" ? { resumed: openMode } : {});
    const { sessionId } = agentSide;
    const requests = toRestoreRequests(identity.capabilities, { ...common, sessionId });
    const problem = quirksOf(identity.info).loadOnce === true ? findLoadProblem(agentSide, now()) : undefined;
    const possible = problem === undefined ? requests : requests.filter(({ how }) => how !== "load");
    if (problem !== undefined && requests.length > 0 && possible.length === 0) {
      return openNew({ resumed: "fresh", freshBecause: problem });
    }
    tryRestore(open, identity, possible, undefined, post);
  });
}

type OpenedInput = Extract<SessionInput, { readonly type: "opened" }>;
type StartProblemInput = Extract<SessionInput, { readonly type: "start_problem" }>;
type Open = AgentClient["open"];

/** Opens a session, and if the agent needs a login that asks nobody anything, logs in and tries once more. */
function openerOf(client: AgentClient, { authMethods }: AgentIdentity, quietLogins: readonly string[]): Open {
  const method = authMethods.find(({ id, type }) => type === "agent" && quietLogins.includes(id));
  if (method === undefined) return (request, done) => client.open(request, done);
  return (request, done) =>
    client.open(request, (opened) => {
      if (opened.ok || opened.failure.code !== "AGENT_AUTH") return done(opened);
      client.authenticate(method.id, (loggedIn) => (loggedIn.ok ? client.open(request, done) : done(opened)));
    });
}

type RestoreRequest = Extract<OpenSessionParams, { readonly how: "resume" | "load" }>;

/** Tries session/resume first, which has no replay. */
function toRestoreRequests(
  offered: AgentCapabilities,
  request: Omit<RestoreRequest, "how">,
): readonly RestoreRequest[] {
  const requests: RestoreRequest[] = [];
  if (offered.resume) requests.push({ how: "resume", ...request });
  if (offered.load) requests.push({ how: "load", ...request });
  return requests;
}

function tryRestore(
  open: Open,
  identity: AgentIdentity,
  [request, ...others]: readonly RestoreRequest[],
  last: AgentFailure | undefined,
  post: (input: SessionInput) => void,
): void {
  if (!request) return post({ type: "not_resumable", ...(last ? { failure: last } : {}) });
  open(request, (opened) => {
    if (opened.ok) return post({ type: "opened", identity, opened: opened.value, resumed: request.how });
    if (finalFailures.has(opened.failure.code)) return post({ type: "open_failed", failure: opened.failure });
    post({ type: "resume_refused", method: request.how, failure: opened.failure });
    tryRestore(open, identity, others, opened.failure, post);
  });
}
