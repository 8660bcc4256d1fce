// SPDX-License-Identifier: MIT OR Apache-2.0
// The acting commands as columns of the table: how a session is brought to where the command means something, what the
// agent gets by it, and what says that all of it is done.
import type { JsonObject, Scenario } from "../scripted-agent/scenario.ts";
import type { Entry, Verb } from "../../agentd/vocabulary/index.ts";
import type { BusUser } from "../harness/bus-user.ts";
import type { Place } from "../harness/place.ts";
import { isAnswer, promptText } from "./broken-promises.ts";

export interface Act {
  readonly name: string;
  readonly verb: Verb;
  /** The command's arguments, when everything is quiet; none of it is the command's own work. */
  prepare(user: BusUser, place: Place): Promise<Readonly<Record<string, unknown>>>;
  /** A frame that the agent gets because of this command, and at most once. */
  readonly isEffect: (frame: JsonObject) => boolean;
  /** The last entry that the command brings about while agentd lives. */
  readonly isLast: (entry: Entry) => boolean;
  /** Its reply is a commit of its own: without that, the next agentd answers that it was interrupted. */
  readonly answeredWhenDone?: true;
  /** What becomes of it when agentd has died before it was logged, and it is given again to the next one. */
  readonly firstRunLater: {
    /** Only a live session can be told so: it is brought back before. */
    readonly needsLife: boolean;
    /** Frames that the agent gets by it; none where what it concerned has ended meanwhile. */
    readonly effects: 0 | 1;
    /** It comes too late for anything, and is told this. */
    readonly refusal?: string;
  };
}

const modes = (currentValue: string) => ({
  configOptions: [
    {
      id: "mode",
      name: "Mode",
      type: "select",
      currentValue,
      options: ["a", "b"].map((value) => ({ value, name: value })),
    },
  ],
});

/** Can be resumed, does what its prompt says, and does not leave because agentd is gone. */
export const stubborn: Scenario = {
  initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
  session: modes("a"),
  ignore: ["eof"],
  rules: [
    { on: "session/resume", do: [{ reply: modes("a") }] },
    { on: "session/set_config_option", do: [{ reply: modes("b") }] },
    { on: "session/prompt", match: "hold", do: [{ text: "holding" }] },
    { on: "session/prompt", match: "ask", do: [{ permission: {} }, "default"] },
  ],
};

const isMethod =
  (method: string) =>
  (frame: JsonObject): boolean =>
    frame["method"] === method;
const isPrompt =
  (text: string) =>
  (frame: JsonObject): boolean =>
    isMethod("session/prompt")(frame) && promptText(frame) === text;
const isState = (state: string) => (entry: Entry) => entry.kind === "state" && entry.state === state;
const isTurn = (phase: string, turn: number) => (entry: Entry) =>
  entry.kind === "turn" && entry.phase === phase && entry.turn === turn;
const isReplyTo = (verb: Verb) => (entry: Entry) => entry.kind === "reply" && entry.verb === verb;

async function idle(user: BusUser, place: Place): Promise<string> {
  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  await user.entry(session, isState("idle"));
  return session;
}

/** In a turn that does not end by itself, of which the agent has said all that it will. */
async function holding(user: BusUser, place: Place): Promise<string> {
  const session = await idle(user, place);
  await user.prompt(session, "hold");
  await user.entry(session, (entry) => entry.kind === "message" && entry.role === "agent");
  return session;
}

async function asking(user: BusUser, place: Place): Promise<string> {
  const session = await idle(user, place);
  await user.prompt(session, "ask");
  await user.entry(session, (entry) => entry.kind === "permission");
  return session;
}

async function closed(user: BusUser, place: Place): Promise<string> {
  const session = await idle(user, place);
  await user.call("agent.session.close", { session });
  await user.entry(session, isState("closed"));
  return session;
}

export const acts: readonly Act[] = [
  {
    name: "start",
    verb: "agent.session.start",
    prepare: async (_, place) => ({ agent: "scripted", cwd: place.directory() }),
    isEffect: isMethod("session/new"),
    isLast: isState("idle"),
    firstRunLater: { needsLife: false, effects: 1 },
  },
  {
    name: "start with a prompt",
    verb: "agent.session.start",
    prepare: async (_, place) => ({ agent: "scripted", cwd: place.directory(), prompt: "first" }),
    isEffect: isPrompt("first"),
    isLast: isState("idle"),
    firstRunLater: { needsLife: false, effects: 1 },
  },
  {
    name: "prompt",
    verb: "agent.session.prompt",
    prepare: async (user, place) => ({ session: await idle(user, place), prompt: "next" }),
    isEffect: isPrompt("next"),
    isLast: isTurn("ended", 1),
    firstRunLater: { needsLife: true, effects: 1 },
  },
  {
    name: "queued prompt",
    verb: "agent.session.prompt",
    prepare: async (user, place) => ({ session: await holding(user, place), prompt: "later", when_busy: "queue" }),
    isEffect: isPrompt("later"),
    isLast: isReplyTo("agent.session.prompt"),
    firstRunLater: { needsLife: true, effects: 1 },
  },
  {
    name: "cancel",
    verb: "agent.session.cancel",
    prepare: async (user, place) => ({ session: await holding(user, place) }),
    isEffect: isMethod("session/cancel"),
    isLast: isTurn("ended", 1),
    firstRunLater: { needsLife: true, effects: 0 },
  },
  {
    name: "set_config",
    verb: "agent.session.set_config",
    prepare: async (user, place) => ({ session: await idle(user, place), option: "mode", value: "b" }),
    isEffect: isMethod("session/set_config_option"),
    isLast: isReplyTo("agent.session.set_config"),
    firstRunLater: { needsLife: true, effects: 1 },
    answeredWhenDone: true,
  },
  {
    name: "rename",
    verb: "agent.session.rename",
    prepare: async (user, place) => ({ session: await idle(user, place), name: "renamed" }),
    // The agent learns nothing of it.
    isEffect: () => false,
    isLast: isReplyTo("agent.session.rename"),
    firstRunLater: { needsLife: false, effects: 0 },
  },
  {
    name: "permission.answer",
    verb: "agent.permission.answer",
    prepare: async (user, place) => {
      const session = await asking(user, place);
      return { session, request: `${session}-1`, option: "allow" };
    },
    isEffect: isAnswer,
    isLast: isTurn("ended", 1),
    firstRunLater: { needsLife: false, effects: 0, refusal: "REQUEST_CLOSED" },
  },
  {
    name: "close",
    verb: "agent.session.close",
    prepare: async (user, place) => ({ session: await holding(user, place) }),
    isEffect: isMethod("session/cancel"),
    isLast: isState("closed"),
    firstRunLater: { needsLife: false, effects: 0 },
  },
  {
    name: "resume",
    verb: "agent.session.resume",
    prepare: async (user, place) => ({ session: await closed(user, place) }),
    isEffect: isMethod("session/resume"),
    isLast: (entry) => entry.kind === "state" && entry.resumed !== undefined,
    firstRunLater: { needsLife: false, effects: 1 },
  },
];
