// SPDX-License-Identifier: MIT OR Apache-2.0
// Rules for commands of people and programs. A refused command has no effect and no entry.
import { checkOption } from "../../authority/decide.ts";
import type { ContentBlock } from "../../vocabulary/entries.ts";
import { type ErrorBody, errorBody } from "../../vocabulary/errors.ts";
import { decideCancel } from "./cancelling.ts";
import { type Draft, refuse } from "./draft.ts";
import { beginClosing } from "./end-run.ts";
import type { Command, PostponedCommand, RefusedDecision, SessionCommand } from "./input.ts";
import { decideAnswer } from "./requests/decide-answers.ts";
import { phaseOf, type SessionState } from "./state.ts";
import { canSteer } from "./steering.ts";
import { acceptPrompt, startTurn, toBlocks } from "./turns.ts";

export function decideCommand(draft: Draft, command: SessionCommand): RefusedDecision | void {
  switch (command.verb) {
    case "agent.session.prompt":
      return decidePrompt(draft, command);
    case "agent.session.cancel":
      if (draft.state.run.phase === "ended" || draft.state.run.phase === "closing")
        return refuseInPhase(draft, "has nothing to cancel");
      return decideCancel(draft, command);
    case "agent.session.set_config":
      return decideSetConfig(draft, command);
    case "agent.session.close":
      return decideClose(draft, command);
    case "agent.session.rename":
      return decideRename(draft, command);
    case "agent.session.forget":
      return decideForget(draft, command);
    case "agent.permission.answer":
    case "agent.elicitation.answer":
      return decideAnswer(draft, command);
    case "agent.session.purge":
      if (draft.state.run.phase !== "ended") return refuseInPhase(draft, "can be purged when it has ended");
      return decidePostponed(draft, command);
    case "agent.login":
    case "agent.probe":
    case "agent.log.prune":
    case "agent.log.redact":
      return decidePostponed(draft, command);
  }
}

/** Runs or queues the prompt. A running turn refuses it as AGENT_BUSY unless the caller asked to queue or to steer. */
function decidePrompt(draft: Draft, command: Command<"agent.session.prompt">): RefusedDecision | void {
  const { state, context } = draft;
  const { run, queue } = state;
  if (run.phase === "ended") return refuseInPhase(draft, "takes no prompts until it is resumed");
  if (run.phase === "closing") return refuseInPhase(draft, "takes no prompts");
  const blocks = toBlocks(command.args.prompt);
  const problem = findPromptProblem(draft, blocks);
  if (problem !== undefined) return refuse("UNSUPPORTED", `${state.agent} cannot be sent this: ${problem}`);
  const { when_busy: whenBusy, always_ask: asks } = command.args;
  const alwaysAsk = asks === true ? { alwaysAsk: asks } : {};
  const steers = whenBusy === "steer" && canSteer(state);
  const mayWait = whenBusy !== "refuse" || run.phase === "starting" || run.phase === "draining";
  if (run.phase !== "idle" && !mayWait) {
    const turn = run.phase === "turn" ? { turn: run.turn.turn } : {};
    return refuse(
      "AGENT_BUSY",
      "a turn is running: wait for its end, cancel it, or send it with when_busy: queue or steer",
      {
        ...turn,
        queued: queue.length,
      },
    );
  }
  if (queue.length >= context.limits.queuedPromptsMax) {
    return refuse("AGENT_BUSY", `${queue.length} prompts are queued already: try again when some have run`, {
      queued: queue.length,
    });
  }
  const seq = draft.command(command);
  const queued = run.phase !== "idle";
  const turn = acceptPrompt(draft, blocks, queued ? "queued" : "started", steers);
  const { by } = command;
  const prompted = { turn, by, blocks, ...alwaysAsk };
  if (queued) state.queue = [...queue, { ...prompted, ...(steers ? { steering: true } : {}) }];
  else startTurn(draft, prompted);
  if (steers) {
    state.alwaysAsk ||= asks === true;
    draft.effect({ type: "steer", turn, blocks });
  }
  draft.accept(command, seq, { turn, queued, ...(whenBusy === "steer" ? { steering: steers } : {}) });
}

function decideSetConfig(draft: Draft, command: Command<"agent.session.set_config">): RefusedDecision | void {
  const { state } = draft;
  const { phase } = state.run;
  const { option: name, value } = command.args;
  const notTheirs = checkOption(command.by, "option", name, state.options);
  if (notTheirs) return { refusal: notTheirs };
  if (phase === "ended" || phase === "closing" || phase === "starting")
    return refuseInPhase(draft, "its options cannot be set now");
  const fault = findOptionProblem(state, name, value);
  if (fault) return { refusal: fault };
  const seq = draft.command(command);
  draft.postpone(command, seq);
  draft.effect({ type: "set_option", seq, option: name, value });
}

/** Checks a value against the options that the agent offers; undefined when the agent may be asked to set it. */
export function findOptionProblem(
  { agent, options }: Pick<SessionState, "agent" | "options">,
  name: string,
  value: string | boolean,
): ErrorBody | undefined {
  const option = options.find((candidate) => candidate.option === name);
  if (!option) {
    const names = options.map((candidate) => candidate.option);
    const message = `${agent} offers no option "${name}"; ${thereAre(names)}`;
    return errorBody("OPTION_UNKNOWN", message, { option: name, options: names });
  }
  if (option.type === "boolean" && typeof value !== "boolean") {
    return errorBody("OPTION_UNKNOWN", `"${name}" takes true or false`, { option: name, values: [true, false] });
  }
  const values = option.choices?.map((choice) => choice.value) ?? [];
  if (option.type === "select" && !values.includes(value as string)) {
    const message = `"${name}" has no value "${value}"; ${thereAre(values)}`;
    return errorBody("OPTION_UNKNOWN", message, { option: name, values });
  }
  return undefined;
}

/** An agent may offer hundreds of models. The error's members have them all. */
function thereAre(names: readonly string[]): string {
  if (names.length === 0) return "it offers none";
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : "";
  return `there are ${names.slice(0, namedMax).join(", ")}${more}`;
}

const namedMax = 12;

/** Logs the command now and runs it after the commit; its reply has a commit of its own. */
function decidePostponed(draft: Draft, command: PostponedCommand): void {
  const seq = draft.command(command);
  draft.postpone(command, seq);
  draft.effect({ type: "run_command", seq, command });
}

/** Closes the session; one that has ended only changes its state. */
function decideClose(draft: Draft, command: Command<"agent.session.close">): RefusedDecision | void {
  const { state } = draft;
  const { run } = state;
  if (run.phase === "ended" && run.state === "closed")
    return refuse("SESSION_STATE", "the session is closed already", { state: "closed" });
  const seq = draft.command(command);
  if (run.phase === "ended") state.run = { phase: "ended", state: "closed" };
  // Closing a session whose start has failed ends it as `closed`.
  else if (run.phase === "closing")
    state.run = { phase: "closing", becomes: "closed", reason: run.error ? "asked" : run.reason };
  else beginClosing(draft, "asked", "cancelled");
  if (run.phase !== "closing") draft.emitState({ reason: "asked" });
  draft.accept(command, seq, { state: phaseOf(state) });
}

/** The mailbox has checked that no other live session has the name. */
function decideRename(draft: Draft, command: Command<"agent.session.rename">): void {
  const { state } = draft;
  const { name } = command.args;
  const seq = draft.command(command);
  if (name === "") delete state.name;
  else state.name = name;
  draft.add({ kind: "info", name: state.name ?? null });
  draft.accept(command, seq, { name });
}

/** A live session must stay visible, since it costs something and may wait for a person. */
function decideForget(draft: Draft, command: Command<"agent.session.forget">): RefusedDecision | void {
  if (draft.state.run.phase !== "ended") return refuseInPhase(draft, "can be forgotten when it has ended");
  const seq = draft.command(command);
  draft.add({ kind: "info", forgotten: true });
  draft.accept(command, seq, { forgotten: true });
}

/** Checks the blocks against the prompt capabilities of ACP. Before they are known, the client checks when it sends. */
function findPromptProblem({ state, context }: Draft, blocks: readonly ContentBlock[]): string | undefined {
  if (!state.agentSide) return undefined;
  const { promptImage = false, promptAudio = false, promptEmbeddedContext = false } = state.agentSide.capabilities;
  return context.ports.findPromptProblem(blocks, { promptImage, promptAudio, promptEmbeddedContext });
}

function refuseInPhase({ state }: Draft, what: string): RefusedDecision {
  const phase = phaseOf(state);
  return { refusal: errorBody("SESSION_STATE", `the session is ${phase} and ${what}`, { state: phase }) };
}
