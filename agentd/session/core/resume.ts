// SPDX-License-Identifier: MIT OR Apache-2.0
// An ended session that is wanted again: its agent is started anew and asked to bring it back.
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { ConfigOption } from "../../../acp-client/model.ts";
import { errorBody } from "../../vocabulary/errors.ts";
import { type Draft, refuse } from "./draft.ts";
import type { Decision, SessionInput } from "./input.ts";
import { emitUnsent } from "./requests/resolutions.ts";
import { toStartingEntry } from "./start.ts";
import { type ChosenOption, type OpenMode, phaseOf, type SessionState } from "./state.ts";

export function decideResume(
  draft: Draft,
  before: SessionState,
  input: Extract<SessionInput, { type: "resume" }>,
): Decision {
  const { state } = draft;
  const { command, directories } = input;
  if (state.run.phase !== "ended") {
    const phase = phaseOf(before);
    return refuse("SESSION_STATE", `the session is ${phase}: only one that has ended can be resumed`, { state: phase });
  }
  const seq = draft.command(command);
  state.runSeq = seq;
  state.startedBy = command.by;
  state.cwd = directories.cwd;
  state.additionalDirs = directories.additionalDirs;
  // A session whose agent never told its own id has nothing to come back to, and starts as it would have.
  const openMode = state.agentSide === null ? "new" : command.args.fresh ? "fresh" : "restore";
  beginRun(draft, openMode);
  draft.accept(command, seq, { state: "starting" });
  draft.effect({ type: "launch", state: { ...state } });
  return draft.decision();
}

/** Begins another life of a session, with the entry whose seq is returned; the caller has an agent launched. */
export function beginRun(draft: Draft, openMode: OpenMode, reason?: string): number {
  const { state } = draft;
  state.run = { phase: "starting", openMode, config: [] };
  state.busToolsCheckDue = draft.context.settings.busTools;
  state.openMessage = null;
  const seq = draft.add({ ...toStartingEntry(state), ...(reason === undefined ? {} : { reason }) });
  emitUnsent(draft);
  return seq;
}

/** Whether the agent, as it came up last, offered a way back to its session. */
export function canRestoreSession({ agentSide }: Pick<SessionState, "agentSide">): boolean {
  return agentSide?.capabilities["resume"] === true || agentSide?.capabilities["load"] === true;
}

/** Reported, and the next way is taken. */
export function onResumeRefused(draft: Draft, method: string, failure: AgentFailure): void {
  const message = `the agent advertises session/${method} and refused it: ${failure.message}`;
  draft.add({ kind: "diagnostic", what: "resume-refused", message });
}

export function notResumableError(failure: AgentFailure | undefined) {
  const why = failure
    ? `the agent did not bring the session back (${failure.message})`
    : "the agent offers no way back to a session";
  const rpc = failure?.rpc ? { rpc: failure.rpc } : {};
  return errorBody(
    "SESSION_NOT_RESUMABLE",
    `${why}: resume it with fresh to go on in a new one that is told the transcript`,
    rpc,
  );
}

/** An agent that was upgraded meanwhile may behave otherwise: that belongs on record. */
export function emitUpgrade(draft: Draft, before: SessionState, version: string | undefined): void {
  const old = before.agentSide?.info?.version;
  if (old === undefined || version === undefined || old === version) return;
  draft.add({
    kind: "diagnostic",
    what: "agent-upgraded",
    message: `the agent was version ${old} and is ${version} now`,
  });
}

/** Of the options that people had set, those that are not as they were; one that is gone is reported. */
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
      message: `the agent offers the option "${name}" no longer; it was ${String(value)}`,
    });
    return false;
  });
}
