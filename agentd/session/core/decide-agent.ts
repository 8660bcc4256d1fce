// SPDX-License-Identifier: MIT OR Apache-2.0
// Rules for what agents send: updates, requests, answers to prompts, and their exit.
import type { AgentFailure, Outcome, PromptResult } from "../../../acp-client/agent-events.ts";
import type { AgentUpdate, ConfigOption } from "../../../acp-client/model.ts";
import { utf8Length } from "../../../json/utf8-length.ts";
import { isModeAmong, checkOption } from "../../authority/decide.ts";
import { type ErrorBody, errorBody } from "../../vocabulary/errors.ts";
import { callLimits } from "../../vocabulary/limits.ts";
import { findOptionProblem } from "./decide-commands.ts";
import { type Draft, commandIdMember } from "./draft.ts";
import type { AgentSigns } from "./agent-signs.ts";
import { truncateFields } from "./bounded-fields.ts";
import { failStart, loseAgent } from "./end-run.ts";
import type { SessionEvent, SessionInput } from "./input.ts";
import { toCountedCost, toEntry, toSessionOptions } from "./map-update.ts";
import { addMessage } from "./messages.ts";
import { requestElicitation } from "./requests/elicitations.ts";
import { abandonAllRequests, cancelRequest } from "./requests/request-life.ts";
import { noteCallChange, noteForeignToolCall, requestPermission } from "./requests/permissions.ts";
import { emitFreshStart, emitUpgrade, findOptionsToRestore, notResumableError } from "./resume.ts";
import { isFromModel, noteActivity } from "./silence.ts";
import { currentTurn, noCost, type RunningTurn, type SessionState } from "./state.ts";
import { addToolCall } from "./tools/tool-calls.ts";
import { endQueuedTurns, endRunningTurn, toErrorBody, startNextTurnOrIdle, type TurnEnd } from "./turns.ts";

export function onAgentEvent(draft: Draft, input: Extract<SessionInput, { type: "agent" }>): void {
  const { state } = draft;
  const { event, evidence, signs } = input;
  switch (event.type) {
    case "update":
      if (isFromModel(event.update)) noteActivity(draft);
      if (signs !== undefined) noteSigns(draft, signs);
      onUpdate(draft, event.update, signs);
      return event.about && noteForeignToolCall(draft, event.about.agentSession, event.about.call);
    case "permission":
      return requestPermission(draft, event, evidence);
    case "elicitation":
      return requestElicitation(draft, event);
    case "withdrawn": {
      const open = state.requests.find(({ key }) => key === event.request);
      // The client has already answered the withdrawn request, so nothing is sent.
      return open && cancelRequest(draft, { ...open, key: null }, { by: null, via: "agent" });
    }
    case "fault": {
      const { fault, message, sample, count } = event;
      draft.add({ kind: "diagnostic", what: fault, message, ...(sample === undefined ? {} : { sample }), count });
      return;
    }
    case "broken":
      return onAgentGone(draft, toErrorBody(event.failure), "the agent violated ACP");
    case "exited":
      return onAgentGone(draft, toExitError(event), "the agent ended");
  }
}

/** Keeps the last of each sign of a failure until the turn ends, and logs that the agent tries again. */
function noteSigns(draft: Draft, signs: AgentSigns): void {
  const { state } = draft;
  if (state.run.phase !== "turn") return;
  const { turn } = state.run;
  const { retriedError, parentToolCall: _, ...others } = signs;
  if (retriedError !== undefined && retriedError !== turn.signs.retriedError) {
    const message = `a request to the model failed, and the agent tries again: ${retriedError}`;
    draft.add({ kind: "diagnostic", turn: turn.turn, what: "model-retry", message });
  }
  const told = retriedError === undefined ? others : { ...others, retriedError };
  state.run = { phase: "turn", turn: { ...turn, signs: { ...turn.signs, ...told } } };
}

function onUpdate(draft: Draft, update: AgentUpdate, signs: AgentSigns | undefined): void {
  const { state } = draft;
  if (update.kind === "message") return addMessage(draft, update, signs);
  if (update.kind === "tool_call") {
    const before = state.calls;
    const fields = addToolCall(draft, update, signs);
    return noteCallChange(draft, fields.tool_call_id, fields, before);
  }
  const entry = toEntry(boundExtension(draft, update));
  // A plan belongs to a turn like a message. Session-wide updates carry a turn only while one runs.
  const where = currentTurn(state);
  const ofSession = entry.kind !== "plan" && where.late === true;
  draft.add(ofSession ? entry : { ...entry, ...where });
  if (entry.kind === "options") state.options = entry.options;
  const cost = entry.kind === "usage" && toCountedCost(entry.cost);
  if (cost) state.cost = { ...state.cost, reported: cost };
}

/** Extensions are logged as they came, up to a size limit. */
function boundExtension<U extends AgentUpdate>(draft: Draft, update: U): U {
  if (update.kind !== "extension") return update;
  const bytes = utf8Length(JSON.stringify(update.data) ?? "");
  if (bytes <= draft.context.limits.extensionBytesMax) return update;
  return { ...update, data: { truncated: true, bytes } };
}

/** Takes over what initialize and the opened session reported, then sets the start's options. */
export function onOpened(draft: Draft, input: Extract<SessionInput, { type: "opened" }>): void {
  const { state } = draft;
  const { run } = state;
  if (run.phase !== "starting") return;
  const { identity, opened, resumed } = input;
  emitUpgrade(draft, identity.info?.version);
  state.agentSide = {
    sessionId: opened.sessionId,
    info: identity.info,
    protocolVersion: identity.protocolVersion,
    capabilities: { ...identity.capabilities },
    openedAt: draft.context.now,
    wasLoaded: resumed === "load",
  };
  if (input.freshBecause !== undefined) emitFreshStart(draft, input.freshBecause);
  if (opened.options.length > 0) emitOptions(draft, opened.options);
  if (resumed !== undefined) {
    // Keep a transcript that an earlier run still owed.
    state.transcriptOwed ||= resumed === "fresh";
    if (resumed === "fresh") state.cost = noCost;
    state.run = { ...run, resumed, config: findOptionsToRestore(draft, input.chosen ?? [], opened.options) };
  } else if (run.config.length === 0) {
    // A resume of a session that never came up begins with the options of its start.
    state.run = { ...run, config: input.chosen ?? [] };
  }
  setNextOption(draft);
}

/** Sets the next option of the start's `config`, or makes the session usable when none is left. */
function setNextOption(draft: Draft): void {
  const { state } = draft;
  const { run } = state;
  if (run.phase !== "starting") return;
  const [next] = run.config;
  if (next) {
    const [option, value] = next;
    // A new session's option is checked as `set_config` checks it. A resumed session survives an option that its agent
    // refuses.
    const fault = run.resumed === undefined ? findStartOptionProblem(state, option, value) : undefined;
    if (fault) return failStart(draft, fault, `the option "${option}" was refused`);
    draft.effect({ type: "set_option", seq: null, option, value });
    return;
  }
  startNextTurnOrIdle(draft);
  const side = state.agentSide;
  draft.emitState({
    ...(run.resumed === undefined ? {} : { resumed: run.resumed }),
    agent_session_id: side?.sessionId,
    agent_info: side?.info,
    protocol_version: side?.protocolVersion,
    capabilities: side?.capabilities,
  });
}

/**
 * Checks here rather than at the start, because only the agent tells which options are modes. A resumed session gets
 * back what people had set, whoever resumes it.
 */
function findStartOptionProblem(state: SessionState, name: string, value: string | boolean): ErrorBody | undefined {
  return checkOption(state.startedBy, "config", name, state.options) ?? findOptionProblem(state, name, value);
}

export function onNotResumable(draft: Draft, failure: AgentFailure | undefined): void {
  if (draft.state.run.phase === "starting")
    failStart(draft, notResumableError(failure), "the session could not be resumed");
}

export function onOpenFailed(draft: Draft, failure: AgentFailure): void {
  // An agent that exits reports it by its own event, with the exit code and the end of its stderr.
  if (draft.state.run.phase !== "starting" || failure.code === "AGENT_EXITED") return;
  failStart(draft, toErrorBody(failure), "the agent did not start");
}

/**
 * Ends the turn whose session/prompt the agent has answered. A late answer to a turn ended by force ends the draining.
 */
export function onPromptDone(draft: Draft, turn: number, outcome: Outcome<PromptResult>): void {
  const { state } = draft;
  const { run } = state;
  // An agent that exits reports it by its own event, which ends the turn.
  if (!outcome.ok && outcome.failure.code === "AGENT_EXITED") return;
  if (run.phase === "draining" && run.turn === turn) {
    draft.effect({ type: "disarm", timer: "drain", key: String(turn) });
    startNextTurnOrIdle(draft);
    return draft.emitState(state.run.phase === "turn" ? { reason: "drained" } : {});
  }
  if (run.phase !== "turn" || run.turn.turn !== turn) return;
  const end = toTurnEnd(run.turn, outcome);
  endRunningTurn(draft, end, run.turn.cancelling ? "cancel" : "agent");
  // The queued prompts would be refused too. Unsent, they can be sent again after the login.
  if (end.error?.error_code === "AGENT_AUTH") endQueuedTurns(draft, "interrupted", end.error);
  if (state.busToolsCheckDue) draft.effect({ type: "check_bus_tools" });
  state.busToolsCheckDue = false;
  startNextTurnOrIdle(draft);
}

function toTurnEnd({ cancelling, signs }: RunningTurn, outcome: Outcome<PromptResult>): TurnEnd {
  const usage = outcome.ok && outcome.value.usage !== undefined ? { usage: outcome.value.usage } : {};
  // Some agents answer a cancelled prompt with an error, or as if they had finished; ACP wants `cancelled`.
  if (cancelling) return { stopReason: "cancelled", sent: true, ...usage };
  if (outcome.ok) {
    const { stopReason } = outcome.value;
    if (stopReason !== "end_turn" || signs.hasFailed !== true) return { stopReason, sent: true, ...usage };
    const error = errorBody("AGENT_ERROR", signs.errorText ?? signs.retriedError ?? "the agent reported a failure");
    return { stopReason: "failed", sent: true, error, ...usage };
  }
  const sent = outcome.failure.code !== "UNSUPPORTED";
  return { stopReason: "failed", sent, error: toErrorBody(outcome.failure) };
}

/** Replies to a set_config command, or goes on with the options of a start. */
export function onOptionSet(
  draft: Draft,
  seq: number | null,
  option: string,
  outcome: Outcome<{ readonly options: readonly ConfigOption[] }>,
): void {
  const { state } = draft;
  if (outcome.ok) emitOptions(draft, outcome.value.options);
  if (seq !== null) {
    const pending = state.pending.find((candidate) => candidate.seq === seq);
    if (!pending) return;
    const id = commandIdMember(pending.commandId);
    const head = { ...id, session: state.id, seq };
    const { snapshotBytesMax } = callLimits;
    if (outcome.ok)
      draft.answer(pending, 0, truncateFields({ ...head, options: state.options }, { options: [] }, snapshotBytesMax));
    else draft.answer(pending, 10, { ...toErrorBody(outcome.failure), ...head });
    return;
  }
  if (state.run.phase !== "starting") return;
  if (!outcome.ok) {
    if (outcome.failure.code === "AGENT_EXITED") return;
    // Losing a mode silently is dangerous, so the session fails before anything is prompted.
    if (state.run.resumed === undefined || isModeAmong(option, state.options)) {
      failStart(draft, toErrorBody(outcome.failure), `the option "${option}" was refused`);
      return;
    }
    const message = `the option "${option}" could not be restored: ${outcome.failure.message}`;
    draft.add({ kind: "diagnostic", what: "option-refused", message });
  }
  state.run = { ...state.run, config: state.run.config.slice(1) };
  setNextOption(draft);
}

function emitOptions(draft: Draft, options: readonly ConfigOption[]): void {
  const { state } = draft;
  state.options = toSessionOptions(options);
  const where = currentTurn(state);
  draft.add({ kind: "options", ...(where.late ? {} : where), options: state.options });
}

/** Ends the session when its agent is gone, before a queued prompt could be sent to it. */
function onAgentGone(draft: Draft, error: ErrorBody, reason: string): void {
  const { run } = draft.state;
  if (run.phase === "ended" || run.phase === "closing") return;
  abandonAllRequests(draft);
  if (run.phase === "starting") return failStart(draft, error, "the agent did not start");
  endRunningTurn(draft, { stopReason: "failed", sent: true, error }, "end");
  loseAgent(draft, error, reason);
}

function toExitError(event: Extract<SessionEvent, { type: "exited" }>): ErrorBody {
  const { exit, stderrTail } = event;
  const tail = stderrTail === "" ? {} : { stderr_tail: stderrTail };
  if (exit.spawnError) return errorBody("AGENT_UNAVAILABLE", exit.spawnError.message, { exit, ...tail });
  // agentd sends any signal here itself, so the signal explains nothing.
  if (exit.stdoutClosed) {
    const message = "the agent closed its stdout without exiting and was stopped";
    return errorBody("AGENT_EXITED", message, { exit, ...tail });
  }
  const how = exit.signal === null ? `exit code ${exit.code ?? "unknown"}` : `signal ${exit.signal}`;
  return errorBody("AGENT_EXITED", `the agent exited (${how})`, { exit, ...tail });
}
