// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { SessionPhase } from "../../agentd/vocabulary/entries.ts";
import { errorBody } from "../../agentd/vocabulary/errors.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import type { Gateway } from "../gateway.ts";
import { SessionCommands } from "./session-commands.ts";
import { SessionFacts } from "./session-facts.ts";

/** Commands of a session that is in the state which the test says. */
function commandsUnderTest(agentdState: () => SessionPhase) {
  const facts = new SessionFacts();
  const asked: string[] = [];
  let seq = 0;
  const tell = (state: SessionPhase, more: object = {}): void =>
    facts.apply({ log: "l", session: "s", seq: (seq += 1), at: "", kind: "state", state, ...more });
  const ask = async (verb: string): Promise<object> => {
    asked.push(verb);
    const state = agentdState();
    if (verb === "agent.session.prompt" && state !== "idle")
      throw new AgentError("SESSION_STATE", `the session is ${state}`, { details: { state } });
    if (verb === "agent.session.resume") for (const next of ["starting", "idle"] as const) tell(next);
    return { session: "s", seq: 1, turn: 1, queued: false };
  };
  const gateway = { ask, newCommandId: () => "c" } as unknown as Pick<Gateway, "ask" | "newCommandId">;
  const commands = new SessionCommands({ session: "s", gateway, clock: new ManualClock(), facts });
  const prompt = () =>
    commands.prompt({ sessionId: "s", blocks: [], meta: {} }, { commandId: "c", isWanted: () => true });
  return { commands, asked, tell, prompt };
}

test("an agent that does not start is told of as soon as it is known, before its process has ended", async () => {
  const { commands, tell } = commandsUnderTest(() => "closing");
  const ready = commands.ready();
  tell("closing", { error: errorBody("AGENT_AUTH", "The agent needs a login") });
  await expect(ready).rejects.toMatchObject({ code: "AGENT_AUTH", message: "The agent needs a login" });
});

test("a prompt that is refused before the entries tell of the session's end resumes it", async () => {
  let state: SessionPhase = "lost";
  const { asked, tell, prompt } = commandsUnderTest(() => state);
  tell("idle");
  const prompted = prompt();
  await new Promise(setImmediate);
  expect(asked).toEqual(["agent.session.prompt"]);
  state = "idle";
  tell("lost");
  expect(await prompted).toMatchObject({ turn: 1 });
  expect(asked).toEqual(["agent.session.prompt", "agent.session.resume", "agent.session.prompt"]);
});

test("a command that a starting session refuses is sent when it is up", async () => {
  let state: SessionPhase = "starting";
  const { asked, tell, prompt } = commandsUnderTest(() => state);
  const prompted = prompt();
  await new Promise(setImmediate);
  state = "idle";
  tell("idle");
  expect(await prompted).toMatchObject({ turn: 1 });
  expect(asked).toEqual(["agent.session.prompt", "agent.session.prompt"]);
});
