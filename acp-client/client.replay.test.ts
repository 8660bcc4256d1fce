// SPDX-License-Identifier: MIT OR Apache-2.0
// The history that agents repeat for session/load: most before the response, Gemini CLI afterwards.
import { expect, test } from "vitest";
import { type ClientUnderTest, newSession, textChunk, underTest, update } from "./testing/client-under-test.ts";

const [quiet, longest] = [300, 10_000];
const limits = { replayQuietMs: quiet, replayWaitMsMax: longest };

/** Returns a client whose agent has just answered session/load or session/resume. */
function restored(how: "load" | "resume" = "load"): ClientUnderTest {
  const under = underTest({ limits });
  under.client.initialize(under.done("initialize"));
  const agentCapabilities = { loadSession: true, sessionCapabilities: { resume: {} } };
  const _meta = { steering: { supported: true } };
  under.agent.say(under.agent.answer("initialize", { protocolVersion: 1, agentCapabilities, _meta }));
  under.client.open({ ...newSession, how, sessionId: "s" }, under.done("open"));
  under.agent.say(under.agent.answer(`session/${how}`, {}));
  under.heard.length = 0;
  return under;
}

function prompt({ client, done }: ClientUnderTest): void {
  client.prompt([{ type: "text", text: "go" }], done("prompt"));
}

/** Fires the timer with this delay. */
function fire({ timers }: ClientUnderTest, ms: number): void {
  const index = timers.findIndex((timer) => timer.ms === ms);
  const [timer] = timers.splice(index, 1);
  if (index < 0 || timer === undefined) throw new Error(`no timer of ${ms} ms is set`);
  timer.run();
}

const sentPrompts = ({ agent }: ClientUnderTest): number => agent.sent("session/prompt").length;

/** Each event as its type, and `history` or `new` for an update. */
function events({ heard }: ClientUnderTest): string[] {
  return heard.flatMap((each) => {
    if (each === "batch end" || "done" in each) return [];
    const { event } = each;
    return event.type === "update" ? [event.replay === true ? "history" : "new"] : [event.type];
  });
}

test("what comes after the response is history too, and the first prompt waits until no more of it comes", () => {
  const under = restored();
  under.agent.say(textChunk("one"));
  prompt(under);
  fire(under, quiet);
  under.agent.say(update("tool_call", { toolCallId: "t", title: "Read" }));
  fire(under, quiet);
  expect(sentPrompts(under)).toBe(0);
  fire(under, quiet);
  expect(sentPrompts(under)).toBe(1);
  under.agent.say(textChunk("answer"));
  expect(events(under)).toEqual(["history", "history", "replayed", "new"]);
  expect(under.timers).toEqual([]);
});

test("a prompt long after the load is sent at once, and what came before it was history", () => {
  const under = restored();
  fire(under, quiet);
  under.agent.say(textChunk("a late part"));
  prompt(under);
  expect(sentPrompts(under)).toBe(1);
  expect(events(under)).toEqual(["replayed", "history"]);
});

test("a replay that never ends holds a prompt for the limit, and no longer", () => {
  const under = restored();
  prompt(under);
  under.agent.say(textChunk("on and on"));
  fire(under, longest);
  expect(sentPrompts(under)).toBe(1);
  under.agent.say(textChunk("answer"));
  expect(events(under)).toEqual(["history", "replayed", "new"]);
  expect(under.timers).toEqual([]);
});

test("a prompt that is cancelled while it waits is answered and never sent", () => {
  const under = restored();
  prompt(under);
  under.client.cancel();
  expect(under.outcomes("prompt")).toEqual([{ ok: true, value: { stopReason: "cancelled" } }]);
  fire(under, quiet);
  expect([sentPrompts(under), under.agent.sent("session/cancel").length]).toEqual([0, 0]);
  prompt(under);
  expect(sentPrompts(under)).toBe(1);
});

test("a prompt for the running turn does not reach the agent before the prompt of that turn", async () => {
  const under = restored();
  const steer = (): void => under.client.steer([{ type: "text", text: "not there" }], under.done("steer"));
  prompt(under);
  steer();
  await Promise.resolve();
  expect(under.outcomes("steer")).toMatchObject([{ ok: false, failure: { code: "UNSUPPORTED" } }]);
  expect(under.agent.sent("_session/steering")).toEqual([]);
  fire(under, quiet);
  steer();
  expect([sentPrompts(under), under.agent.sent("_session/steering").length]).toEqual([1, 1]);
});

test("options and commands after a load are those of now", () => {
  const under = restored();
  under.agent.say(update("available_commands_update", { availableCommands: [] }));
  expect(events(under)).toEqual(["new"]);
});

test("an agent that ends while a prompt waits fails the prompt", () => {
  const under = restored();
  prompt(under);
  under.agent.exit({ code: 1, signal: null });
  expect(under.outcomes("prompt")).toMatchObject([{ ok: false, failure: { code: "AGENT_EXITED" } }]);
  expect(under.timers).toEqual([]);
});

test("session/resume has no replay: what comes after its response is new", () => {
  const under = restored("resume");
  under.agent.say(textChunk("new"));
  prompt(under);
  expect([events(under), sentPrompts(under)]).toEqual([["new"], 1]);
});
