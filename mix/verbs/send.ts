// SPDX-License-Identifier: MIT OR Apache-2.0
import { misused } from "../input/arguments.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { isEnded, type SessionPhase } from "../../agentd/vocabulary/entries.ts";
import type { PromptReply, SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import type { VerbInput } from "../../agentd/vocabulary/verbs.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
import { canResume, nameOrId } from "../view/next-step.ts";
import { sayHowToWatch, sayNextStep } from "../watch/say-next-step.ts";
import { watchTurn } from "../watch/watch-turn.ts";
import { describeSteering, watchSteering } from "../watch/watch-steering.ts";
import { MixError, usageError } from "../process/mix-error.ts";
import { sessionNamed, sessionReference } from "../references/session-reference.ts";
import { readPrompt } from "../input/read-input.ts";
import { commandIdFlag, type Invocation, promptFlags, type VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "agent send [session] <prompt>",
  about:
    "Sends a prompt to a session and follows its turn. One argument alone is the prompt. The prompt `-` is read from stdin. A session that has ended is resumed first, if its agent can.",
  flags: {
    queue: { kind: "switch", about: "queue the prompt while a turn runs (default: refuse)", isMain: true },
    steer: {
      kind: "switch",
      about: "put it into the running turn, or queue it",
      isMain: true,
    },
    "no-wait": { kind: "switch", about: "return as soon as the prompt is accepted", isMain: true },
    ...promptFlags,
    ...commandIdFlag,
  },
  positionals: { min: 0, max: 1_000 },
  examples: ['mix agent send "now the tests"', 'mix agent send abc --steer "not in src/, in lib/"'],
  sessions: "resumable",
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, context, output } = invocation;
  const noAsk = args.switch("no-ask");
  if (noAsk && args.switch("no-wait")) throw usageError("--no-ask must follow the turn; leave --no-wait out");
  if (args.switch("queue") && args.switch("steer"))
    throw usageError("--steer queues the prompt if it has to; leave --queue out");
  const file = args.text("file");
  const isPromptAlone = args.positionals.length === 1 && file === undefined;
  const prompt = await readPrompt(context, args.positionals.slice(isPromptAlone ? 0 : 1), file);
  if (prompt === undefined) throw misused(spec.usage, "<prompt> is missing");
  const bus = await invocation.connect("agentd");
  const { reply, isResumed } = await promptOrResume(invocation, bus, {
    session: isPromptAlone
      ? await sessionForPrompt(invocation, bus)
      : await sessionReference(invocation, bus, args.positionals[0]),
    prompt,
    when_busy: args.switch("steer") ? "steer" : args.switch("queue") ? "queue" : "refuse",
    command_id: args.text("id"),
  });
  const { session, turn, queued, seq } = reply;
  // Only people need the directory, to shorten paths below it, and the name.
  const snapshot = output.mode === "people" ? await bus.ask("agent.session.get", { session }) : undefined;
  const called = snapshot && nameOrId(snapshot);
  const steered = reply.steering === true ? await watchSteering(invocation, bus, reply, called) : undefined;
  if (steered?.kind === "left") return steered.outcome;
  const isTaken = steered?.kind === "settled" && takenOutcomes.has(steered.steering);
  const words = steered?.kind === "settled" ? describeSteering(steered, turn) : undefined;
  if (args.switch("no-wait")) {
    const into = steered?.kind === "settled" ? { steered: steered.steering, into: steered.into } : {};
    if (output.mode === "json") await output.document("mix.sent.v1", { ...reply, ...into });
    else if (words !== undefined && output.mode === "people") await output.line(words);
    else
      await output.line(
        called === undefined ? `${turn}` : `turn ${turn} of ${called} ${queued ? "is queued" : "runs"}`,
      );
    await sayHowToWatch(invocation, bus, session);
    return done;
  }
  if (output.mode === "ids") await output.line(`${turn}`);
  if (words !== undefined) output.word(words);
  else if (queued && !isResumed) {
    const why = reply.steering === false ? `: ${snapshot?.agent} cannot be steered now` : "";
    output.word(`turn ${turn} of ${called} is queued${why}`);
  }
  if (isTaken && steered.into === undefined) return done;
  const outcome = await watchTurn(invocation, bus, {
    session,
    turn: (isTaken ? steered.into : undefined) ?? turn,
    after: seq - 1,
    closes: false,
    onlyTurn: true,
    noAsk,
    called,
    ...(snapshot === undefined ? {} : { directory: snapshot.cwd }),
  });
  const endedWell = outcome.kind === "turn" && outcome.stopReason === "end_turn";
  if (!endedWell && (outcome.kind === "turn" || outcome.kind === "ended")) await sayNextStep(invocation, bus, session);
  return outcome;
}

/** The agent has the prompt: no turn of its own will run. */
const takenOutcomes: ReadonlySet<string> = new Set(["injected", "startedNewTurn"]);

/** Refuses a single word that names a session, because its prompt was probably forgotten. */
async function sessionForPrompt(invocation: Invocation, bus: AgentBus): Promise<string> {
  const word = invocation.args.word(0);
  const named = /\s/.test(word) || word === "-" ? undefined : await sessionNamed(bus, word);
  if (named === undefined) return sessionReference(invocation, bus, undefined, spec.sessions);
  throw usageError(
    `${word} is a session, and its prompt is missing; to send this word to the session of this directory: mix agent send <session> ${word}`,
  );
}

type PromptRequest = VerbInput<"agent.session.prompt">;

/**
 * Sends the prompt. If the session has ended, resumes it and sends the prompt again, which then waits for the agent. Both
 * commands have an id if the caller gave one, so that a retry of the verb runs neither of them again.
 */
async function promptOrResume(
  invocation: Invocation,
  bus: AgentBus,
  request: PromptRequest,
): Promise<{ readonly reply: PromptReply; readonly isResumed: boolean }> {
  try {
    return { reply: await bus.ask("agent.session.prompt", request), isResumed: false };
  } catch (error) {
    if (endedState(error) === undefined) throw error;
  }
  const snapshot = await bus.ask("agent.session.get", { session: request.session });
  const { session, state, agent } = snapshot;
  const problem = findResumeProblem(snapshot);
  if (problem !== undefined) throw new MixError("SESSION_STATE", problem, { details: { session } });
  invocation.output.notice(`session ${session} is ${state}: resuming it (${agent})`);
  try {
    const id = request.command_id;
    await bus.ask("agent.session.resume", { session, command_id: id === undefined ? id : `${id}-resume` });
  } catch (error) {
    // Somebody else has resumed it meanwhile.
    if (!(error instanceof AgentError && error.code === "SESSION_STATE") || endedState(error) !== undefined)
      throw error;
  }
  return { reply: await bus.ask("agent.session.prompt", { ...request, session }), isResumed: true };
}

function endedState(error: unknown): SessionPhase | undefined {
  if (!(error instanceof AgentError) || error.code !== "SESSION_STATE") return undefined;
  const state = error.details["state"] as SessionPhase;
  return isEnded(state) ? state : undefined;
}

/** Says what to type instead if the session cannot be resumed as it was. */
function findResumeProblem({ session, state, agent, agent_session_id: id, capabilities }: SessionSnapshot) {
  if (id === null) {
    return `session ${session} is ${state}, and ${agent} has no session to resume; \`mix agent resume ${session}\` begins a new one`;
  }
  if (canResume(capabilities)) return undefined;
  return `session ${session} is ${state}, and ${agent} cannot resume sessions; \`mix agent resume --fresh ${session}\` begins a new one that gets the transcript`;
}
