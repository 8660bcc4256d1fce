// SPDX-License-Identifier: MIT OR Apache-2.0
// Resuming an ended session: a new agent process restores it by ACP's session/resume or session/load.
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { ConfigOption } from "../../../acp-client/model.ts";
import type { EndedPhase } from "../../vocabulary/entries.ts";
import { errorBody } from "../../vocabulary/errors.ts";
import { type Draft, refuse } from "./draft.ts";
import type { RefusedDecision, SessionInput } from "./input.ts";
import { emitUnsent } from "./requests/request-life.ts";
import { toStartingEntry } from "./start.ts";
import { type AgentSide, type ChosenOption, type OpenMode, phaseOf, type SessionState } from "./state.ts";

export function decideResume(draft: Draft, input: Extract<SessionInput, { type: "resume" }>): RefusedDecision | void {
  const { state } = draft;
  const { command, directories } = input;
  if (state.run.phase !== "ended") {
    const phase = phaseOf(state);
    return refuse("SESSION_STATE", `the session is ${phase}: only one that has ended can be resumed`, { state: phase });
  }
  const seq = draft.command(command);
  state.runSeq = seq;
  state.startedBy = command.by;
  state.left = null;
  state.cwd = directories.cwd;
  state.additionalDirs = directories.additionalDirs;
  // Without an agent session id there is nothing to restore, and the session starts as new.
  const openMode = state.agentSide === null ? "new" : command.args.fresh ? "fresh" : "restore";
  // An agent that cannot restore its session leaves it as it was: over, and in the log.
  beginRun(draft, openMode, openMode === "new" ? "failed" : "closed");
  draft.accept(command, seq, { state: "starting" });
  draft.effect({ type: "launch", state: { ...state } });
}

/** Begins another run and returns the seq of its first entry. The caller adds the `launch` effect. */
export function beginRun(draft: Draft, openMode: OpenMode, failsAs: EndedPhase, reason?: string): number {
  const { state } = draft;
  state.run = { phase: "starting", openMode, config: [], failsAs };
  state.busToolsCheckDue = draft.context.settings.busTools;
  state.openMessage = null;
  const seq = draft.add({ ...toStartingEntry(state), ...(reason === undefined ? {} : { reason }) });
  emitUnsent(draft);
  return seq;
}

/** Returns whether the agent advertised session/resume or session/load when it last came up. */
export function canRestoreSession({ agentSide }: Pick<SessionState, "agentSide">): boolean {
  return agentSide?.capabilities["resume"] === true || agentSide?.capabilities["load"] === true;
}

/**
 * Returns why session/load would lose the conversation; undefined if it would not. For an agent with the quirk
 * `loadOnce`, which names its files of a session by the minute.
 */
export function findLoadProblem({ wasLoaded, openedAt }: AgentSide, now: number): string | undefined {
  if (wasLoaded) return "this agent cannot load a session a second time";
  const isSameMinute = toMinute(openedAt) === toMinute(now);
  return isSameMinute ? "this agent cannot load a session in the clock minute in which it began it" : undefined;
}

function toMinute(ms: number): number {
  return Math.floor(ms / 60_000);
}

/** Tells whoever resumes a session that its agent does not continue its own conversation. */
export function emitFreshStart(draft: Draft, reason: string): void {
  const title = "the agent begins a new session; it gets the transcript of this one with the next prompt";
  draft.add({ kind: "notice", severity: "warning", title, description: reason });
}

/** Logs the refusal; the next method is tried. */
export function onResumeRefused(draft: Draft, method: string, failure: AgentFailure): void {
  const message = `the agent advertises session/${method} but refused it: ${failure.message}`;
  draft.add({ kind: "diagnostic", what: "resume-refused", message });
}

export function notResumableError(failure: AgentFailure | undefined) {
  const why = failure
    ? `the agent did not resume the session (${failure.message})`
    : "the agent cannot resume sessions";
  const rpc = failure?.rpc ? { rpc: failure.rpc } : {};
  return errorBody(
    "SESSION_NOT_RESUMABLE",
    `${why}; \`mix agent resume --fresh\` (fresh: true) continues in a new one that gets the transcript`,
    rpc,
  );
}

/** Logs a changed agent version, since its behaviour may have changed too. */
export function emitUpgrade(draft: Draft, version: string | undefined): void {
  const old = draft.state.agentSide?.info?.version;
  if (old === undefined || version === undefined || old === version) return;
  draft.add({
    kind: "diagnostic",
    what: "agent-upgraded",
    message: `the agent was version ${old} and is ${version} now`,
  });
}

/** Returns the options that people had set and that now differ. An option that is gone is logged. */
export function findOptionsToRestore(
  draft: Draft,
  chosen: readonly ChosenOption[],
  offered: readonly ConfigOption[],
): ChosenOption[] {
  const current = new Map(offered.map(({ option, value }) => [option, value]));
  return chosen.filter(([name, value]) => {
    if (current.has(name)) return current.get(name) !== value;
    draft.add({
      kind: "diagnostic",
      what: "option-gone",
      message: `the agent no longer offers the option "${name}"; it was ${String(value)}`,
    });
    return false;
  });
}
