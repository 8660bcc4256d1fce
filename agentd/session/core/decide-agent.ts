// SPDX-License-Identifier: MIT OR Apache-2.0
// What the agent brings about: its updates, its questions, its answers to us, and its end.
import type { AgentEvent, AgentFailure, Outcome, PromptResult } from "../../../acp-client/agent-events.ts";
import type { AgentUpdate, ConfigOption } from "../../../acp-client/model.ts";
import { utf8Length } from "../../../json/utf8-length.ts";
import { isModeAmong, checkOption } from "../../authority/decide.ts";
import { type ErrorBody, errorBody } from "../../vocabulary/errors.ts";
import { callLimits } from "../../vocabulary/limits.ts";
import { releaseTerminals } from "./client-side/terminals.ts";
import { optionFault } from "./decide-commands.ts";
import { type Draft, idMember } from "./draft.ts";
import { emptied } from "./fit.ts";
import type { SessionInput } from "./input.ts";
import { mapUpdate, sessionOptions } from "./map-update.ts";
import { noteMessage } from "./messages.ts";
import { requestElicitation } from "./requests/elicitations.ts";
import { abandonAllRequests, cancelRequest, endAllRequests } from "./requests/ends.ts";
import { noteChange, noteForeignCall, requestPermission } from "./requests/permissions.ts";
import type { PolicyEvidence } from "./requests/policy.ts";
import { beginAgain, canComeBack, notResumable, optionsToRestore, sayUpgrade } from "./resume.ts";
import { currentTurn, type SessionState } from "./state.ts";
import { closeOpenTools, noteToolCall } from "./tools/tool-calls.ts";
import { endQueuedTurns, endRunningTurn, failureBody, settle } from "./turns.ts";

export function onAgentEvent(draft: Draft, before: SessionState, event: AgentEvent, evidence?: PolicyEvidence): void {
  const { state } = draft;
  switch (event.type) {
    case "update":
      onUpdate(draft, event.update);
      return event.about && noteForeignCall(draft, event.about.agentSession, event.about.call);
    case "permission":
      requestPermission(draft, event, evidence);
      return draft.sayState(before);
    case "elicitation":
      requestElicitation(draft, event);
      return draft.sayState(before);
    case "withdrawn": {
      const open = state.requests.find(({ key }) => key === event.request);
      // The client has answered it on the wire: nothing is left to send.
      if (open) cancelRequest(draft, { ...open, key: null }, { by: null, via: "agent" });
      return draft.sayState(before);
    }
    case "fault": {
      const { fault, message, sample, count } = event;
      draft.add({ kind: "diagnostic", what: fault, message, ...(sample === undefined ? {} : { sample }), count });
      return;
    }
    case "broken":
      return onGone(draft, before, failureBody(event.failure), "the agent does not speak ACP as it must");
    case "exited":
      return onGone(draft, before, exitError(event), "the agent ended");
  }
}

function onUpdate(draft: Draft, update: AgentUpdate): void {
  const { state } = draft;
  if (update.kind === "message") return noteMessage(draft, update);
  if (update.kind === "tool_call") {
    const before = state.calls;
    const said = noteToolCall(draft, update);
    return noteChange(draft, said.tool_call_id, said, before);
  }
  const entry = mapUpdate(bounded(draft, update));
  // A plan belongs to a turn as messages do; what is of the session carries the turn only while one runs.
  const where = currentTurn(state);
  const ofSession = entry.kind !== "plan" && where.late === true;
  draft.add(ofSession ? entry : { ...entry, ...where });
  if (entry.kind === "options") state.options = entry.options;
}

/** What has no name here is kept, but not without bound. */
function bounded<U extends AgentUpdate>(draft: Draft, update: U): U {
  if (update.kind !== "extension") return update;
  const bytes = utf8Length(JSON.stringify(update.data) ?? "");
  if (bytes <= draft.context.settings.extensionBytesMax) return update;
  return { ...update, data: { truncated: true, bytes } };
}

export function onCameUp(draft: Draft, before: SessionState, input: Extract<SessionInput, { type: "came_up" }>): void {
  const { state } = draft;
  const { life } = state;
  if (life.phase !== "starting") return;
  const { identity, opened, resumed } = input;
  sayUpgrade(draft, before, identity.info?.version);
  state.agentSide = {
    sessionId: opened.sessionId,
    info: identity.info,
    protocolVersion: identity.protocolVersion,
    capabilities: { ...identity.capabilities },
  };
  if (opened.options.length > 0) sayOptions(draft, opened.options);
  if (resumed !== undefined) {
    // Also one that was owed before and never told.
    state.transcriptOwed ||= resumed === "fresh";
    state.life = { ...life, resumed, config: optionsToRestore(draft, input.chosen ?? [], opened.options) };
  }
  configure(draft, before);
}

/** The next option of the start's config; the session is usable when none is left. */
function configure(draft: Draft, before: SessionState): void {
  const { state } = draft;
  const { life } = state;
  if (life.phase !== "starting") return;
  const [next] = life.config;
  if (next) {
    const [option, value] = next;
    // A start is refused here as `set_config` is. What an agent that comes back does not take is no end of its session.
    const fault = life.resumed === undefined ? startOptionFault(state, option, value) : undefined;
    if (fault) return fail(draft, before, fault, `the option "${option}" was refused`);
    draft.effect({ type: "set_option", seq: null, option, value });
    return;
  }
  settle(draft);
  const side = state.agentSide;
  draft.sayState(before, {
    ...(life.resumed === undefined ? {} : { resumed: life.resumed }),
    agent_session_id: side?.sessionId,
    agent_info: side?.info,
    protocol_version: side?.protocolVersion,
    capabilities: side?.capabilities,
  });
}

/** Which options are modes is known only now; what people had set, a session gets back from whoever resumes it. */
function startOptionFault(state: SessionState, name: string, value: string | boolean): ErrorBody | undefined {
  return checkOption(state.begunBy, "config", name, state.options) ?? optionFault(state, name, value);
}

export function onNotResumable(draft: Draft, before: SessionState, failure: AgentFailure | undefined): void {
  if (draft.state.life.phase === "starting") fail(draft, before, notResumable(failure), "it was not brought back");
}

export function onOpenFailed(draft: Draft, before: SessionState, failure: AgentFailure): void {
  // An agent that ended reports that itself, with its exit and the tail of its stderr.
  if (draft.state.life.phase !== "starting" || failure.code === "AGENT_EXITED") return;
  fail(draft, before, failureBody(failure), "it did not come up");
}

function fail(draft: Draft, before: SessionState, error: ErrorBody, reason: string): void {
  const { state } = draft;
  endQueuedTurns(draft, "interrupted", error);
  endAllRequests(draft, "end");
  closeOpenTools(draft);
  releaseTerminals(draft);
  answerPending(draft, error);
  state.life = isGone(error) ? { phase: "ended", state: "failed", reason, error } : { phase: "closing", reason, error };
  draft.sayState(before, { reason, error });
  draft.effect({ type: "stop_agent" });
}

/** No process of the agent is left, so the session is `failed` at once. Any other agent is ended first. */
function isGone({ error_code: code }: ErrorBody): boolean {
  return code === "AGENT_EXITED" || code === "AGENT_UNAVAILABLE";
}

export function onPromptDone(draft: Draft, before: SessionState, turn: number, outcome: Outcome<PromptResult>): void {
  const { state } = draft;
  const { life } = state;
  // An agent that ended reports that itself, and its turn ends then.
  if (!outcome.ok && outcome.failure.code === "AGENT_EXITED") return;
  if (life.phase === "draining" && life.turn === turn) {
    draft.effect({ type: "disarm", timer: "drain", key: String(turn) });
    settle(draft);
    return draft.sayState(before, state.life.phase === "turn" ? { reason: "drained" } : {});
  }
  if (life.phase !== "turn" || life.turn.turn !== turn) return;
  endRunningTurn(draft, turnEnd(life.turn.cancelling, outcome), life.turn.cancelling ? "cancel" : "agent");
  if (state.busToolsAwaited) draft.effect({ type: "check_bus_tools" });
  state.busToolsAwaited = false;
  settle(draft);
  draft.sayState(before);
}

function turnEnd(cancelling: boolean, outcome: Outcome<PromptResult>) {
  if (outcome.ok) {
    const { stopReason, usage } = outcome.value;
    return { stopReason, sent: true, ...(usage === undefined ? {} : { usage }) } as const;
  }
  // An agent that answers a cancelled turn with an error has cancelled it.
  if (cancelling) return { stopReason: "cancelled", sent: true } as const;
  const sent = outcome.failure.code !== "UNSUPPORTED";
  return { stopReason: "failed", sent, error: failureBody(outcome.failure) } as const;
}

export function onOptionSet(
  draft: Draft,
  before: SessionState,
  seq: number | null,
  option: string,
  outcome: Outcome<{ readonly options: readonly ConfigOption[] }>,
): void {
  const { state } = draft;
  if (outcome.ok) sayOptions(draft, outcome.value.options);
  if (seq !== null) {
    const pending = state.pending.find((candidate) => candidate.seq === seq);
    if (!pending) return;
    const id = idMember(pending.commandId);
    const head = { ...id, session: state.id, seq };
    const { snapshotBytesMax } = callLimits;
    if (outcome.ok)
      draft.answer(pending, 0, emptied({ ...head, options: state.options }, { options: [] }, snapshotBytesMax));
    else draft.answer(pending, 10, { ...failureBody(outcome.failure), ...head });
    return;
  }
  if (state.life.phase !== "starting") return;
  if (!outcome.ok) {
    if (outcome.failure.code === "AGENT_EXITED") return;
    // A mode that is lost in silence is dangerous: nothing is prompted.
    if (state.life.resumed === undefined || isModeAmong(option, state.options)) {
      fail(draft, before, failureBody(outcome.failure), `the option "${option}" was refused`);
      return;
    }
    const message = `the option "${option}" could not be set again: ${outcome.failure.message}`;
    draft.add({ kind: "diagnostic", what: "option-refused", message });
  }
  state.life = { ...state.life, config: state.life.config.slice(1) };
  configure(draft, before);
}

function sayOptions(draft: Draft, options: readonly ConfigOption[]): void {
  const { state } = draft;
  state.options = sessionOptions(options);
  const where = currentTurn(state);
  draft.add({ kind: "options", ...(where.late ? {} : where), options: state.options });
}

/** No more comes from this agent: before anything queued could be given to it, the session ends. */
function onGone(draft: Draft, before: SessionState, error: ErrorBody, reason: string): void {
  const { life } = draft.state;
  if (life.phase === "ended" || life.phase === "closing") return;
  abandonAllRequests(draft);
  if (life.phase === "starting") return fail(draft, before, error, "it did not come up");
  endRunningTurn(draft, { stopReason: "failed", sent: true, error }, "end");
  lose(draft, before, error, reason);
}

/** The session has lost its agent; whatever was open ends here. */
export function lose(draft: Draft, before: SessionState, error: ErrorBody, reason: string): void {
  const { state } = draft;
  if (state.life.phase === "draining") draft.effect({ type: "disarm", timer: "drain", key: String(state.life.turn) });
  if (state.life.phase === "idle") draft.effect({ type: "disarm", timer: "idle", key: "" });
  endAllRequests(draft, "end");
  endQueuedTurns(draft, "interrupted", error);
  closeOpenTools(draft);
  releaseTerminals(draft);
  answerPending(draft, error);
  state.life = { phase: "ended", state: "lost", reason, error };
  draft.sayState(before, { reason, error });
  draft.effect({ type: "stop_agent" });
}

/** An agent that takes no notice of a cancel is ended. One that can bring its session back does so, and goes on with what was queued. */
export function onNotDrained(draft: Draft, before: SessionState): void {
  const error = errorBody("AGENT_PROTOCOL", "the agent did not end its cancelled turn and was ended");
  const reason = "it did not end its cancelled turn";
  if (canComeBack(draft.state)) bringBack(draft, error, reason);
  else lose(draft, before, error, reason);
}

/**
 * Another agent in the place of one that is ended; the session is never lost in between. Each time takes a cancel of
 * somebody's, so that an agent which never heeds one does not start over and over. What fails on the way back fails as
 * any start does, and the queued turns end with it.
 */
function bringBack(draft: Draft, error: ErrorBody, reason: string): void {
  const { state } = draft;
  endAllRequests(draft, "end");
  closeOpenTools(draft);
  releaseTerminals(draft);
  answerPending(draft, error);
  state.lifeSeq = beginAgain(draft, "again", reason);
  draft.effect({ type: "stop_agent" });
  draft.effect({ type: "launch", state: { ...state } });
}

/** Commands that wait for an agent that will not answer any more. */
export function answerPending(draft: Draft, error: ErrorBody): void {
  for (const pending of draft.state.pending) {
    const id = idMember(pending.commandId);
    draft.answer(pending, 10, { ...error, ...id, session: draft.state.id, seq: pending.seq });
  }
}

function exitError(event: Extract<AgentEvent, { type: "exited" }>): ErrorBody {
  const { exit, stderrTail } = event;
  const tail = stderrTail === "" ? {} : { stderr_tail: stderrTail };
  if (exit.spawnError) return errorBody("AGENT_UNAVAILABLE", exit.spawnError.message, { exit, ...tail });
  // The signal of its end, if there was one, is agentd's.
  if (exit.stdoutClosed) {
    const message = "the agent closed its stdout and lived on: it could no longer be heard, and was ended";
    return errorBody("AGENT_EXITED", message, { exit, ...tail });
  }
  const how = exit.signal === null ? `exit code ${exit.code ?? "unknown"}` : `signal ${exit.signal}`;
  return errorBody("AGENT_EXITED", `the agent ended by itself (${how})`, { exit, ...tail });
}
