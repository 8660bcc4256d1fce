// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent that does what Gemini CLI 0.61.0 does, by another name in the catalogue.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { titleWithName } from "../../agentd/vocabulary/entries.ts";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import type { BusUser } from "../harness/bus-user.ts";
import type { Place } from "../harness/place.ts";
import type { Rule, Scenario } from "../scripted-agent/scenario.ts";
import { agentText, type EntryOf, ofKind, openScene, turnEnd } from "./scene.ts";

const modes = { currentModeId: "default", availableModes: ["default", "plan"].map((id) => ({ id, name: id })) };

function likeGemini(rules: readonly Rule[] = []): Scenario {
  return {
    initialize: {
      agentInfo: { name: "gemini-cli", title: "Gemini CLI", version: "0.61.0" },
      agentCapabilities: { loadSession: true },
    },
    session: { modes },
    ignore: ["eof"],
    rules: [...rules, { on: "session/load", do: [{ reply: { modes } }] }],
  };
}

/** Gemini's own settings, by which it trusts every directory. */
function trustAll({ home }: Place): void {
  mkdirSync(join(home, ".gemini"), { recursive: true });
  writeFileSync(join(home, ".gemini", "settings.json"), '{"security":{"folderTrust":{"enabled":false}}}');
}

const minute = 60_000;

async function comeBack(user: BusUser, session: string): Promise<void> {
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
}

test("it is never loaded in the minute of its start nor a second time, but begins afresh and says so", async () => {
  const clock = new ManualClock();
  await using scene = await openScene({ scripted: likeGemini() }, { clock });
  trustAll(scene.place);
  const { user } = scene;
  const session = await scene.idle();
  await turnEnd(user, session, await user.prompt(session, "remember the word pelican"));
  const waits = [0, minute, minute, minute, 0];
  for (const wait of waits) {
    clock.advance(wait);
    await comeBack(user, session);
  }
  await turnEnd(user, session, await user.prompt(session, "which word?"));
  const log = await user.log(session);
  const ways = ofKind(log, "state").flatMap(({ agent_session_id: id, resumed }) => (id === undefined ? [] : [resumed]));
  expect(ways).toEqual([undefined, "fresh", "load", "fresh", "load", "fresh"]);
  expect(ofKind(log, "notice").map(({ severity, description }) => [severity, description])).toEqual([
    ["warning", "this agent cannot load a session in the clock minute in which it began it"],
    ["warning", "this agent cannot load a session a second time"],
    ["warning", "this agent cannot load a session a second time"],
  ]);
  const prompted = scene
    .agent()
    .received()
    .filter(({ method }) => method === "session/prompt");
  expect(JSON.stringify(prompted.at(-1)?.params)).toContain("pelican");
});

test("the history that it tells after its response to session/load is no news, and the next prompt comes after it", async () => {
  const said = (sessionUpdate: string, text: string) => ({
    update: { sessionUpdate, content: { type: "text", text } },
  });
  const history = [
    said("user_message_chunk", "remember the word pelican"),
    { update: { sessionUpdate: "tool_call", toolCallId: "old", title: "Old", status: "completed" } },
    said("agent_message_chunk", "ok"),
  ];
  const clock = new ManualClock();
  const loaded: Rule = { on: "session/load", do: [{ reply: { modes } }, ...history] };
  await using scene = await openScene({ scripted: likeGemini([loaded]) }, { clock });
  const { user } = scene;
  const session = await scene.idle();
  await turnEnd(user, session, await user.prompt(session, "remember the word pelican"));
  const before = await user.log(session);
  clock.advance(minute);
  await comeBack(user, session);
  await turnEnd(user, session, await user.prompt(session, "which word?"));
  const after = (await user.log(session)).slice(before.length);
  expect(ofKind(after, "message").map(({ role, content }) => [role, content["text"]])).toEqual([
    ["user", "which word?"],
    ["agent", "ok"],
  ]);
  expect(after.filter(({ kind }) => kind === "tool_call" || kind === "diagnostic")).toEqual([]);
  expect(user.seen.filter((entry) => entry.session === session)).toEqual(await user.log(session));
});

test("its word about a change of mode is an option, and no message", async () => {
  const prompted: Rule = {
    on: "session/prompt",
    do: [{ text: "[MODE_UPDATE] plan" }, { text: "Planned." }, { reply: { stopReason: "end_turn" } }],
  };
  await using scene = await openScene({ scripted: likeGemini([prompted]) });
  const { user } = scene;
  const session = await scene.idle();
  await turnEnd(user, session, await user.prompt(session, "plan it"));
  const log = await user.log(session);
  expect(agentText(log)).toBe("Planned.");
  expect(ofKind(log, "options").at(-1)?.options).toMatchObject([{ option: "mode", value: "plan" }]);
});

test("its question about an MCP call names the tool, which only the call's id says", async () => {
  const toolCall = { toolCallId: "mcp_mixos_bus_call__bus_call_1_0", title: '{"service":"agent"}', kind: "other" };
  const asking: Rule = {
    on: "session/prompt",
    do: [{ permission: { toolCall } }, { reply: { stopReason: "end_turn" } }],
  };
  await using scene = await openScene({ scripted: likeGemini([asking]) });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "call it");
  const { tool_call: call } = await user.entry<EntryOf<"permission">>(session, ({ kind }) => kind === "permission");
  expect(call).toMatchObject({ name: "mcp_mixos_bus_call", title: toolCall.title });
  expect(titleWithName(call ?? {})).toBe(`mcp_mixos_bus_call: ${toolCall.title}`);
  await user.call("agent.session.close", { session });
});

test.each([
  ["it", likeGemini(), ""],
  ["an agent with stop_grace", { ignore: ["eof"] } as const, '[agents.scripted.quirks]\nstop_grace = "1ms"'],
])("%s is not waited for at the end of its stdin", async (_, scripted, settings) => {
  await using scene = await openScene({ scripted }, { settings, limits: { stdinGraceMs: 600_000 } });
  const session = await scene.idle();
  await scene.user.call("agent.session.close", { session });
  expect(await scene.user.wait(session, "ended")).toMatchObject({ state: "closed" });
});

test("a start of it in a directory that it does not trust says so in the session's log, once", async () => {
  await using scene = await openScene({ scripted: likeGemini() });
  const noticesOfStart = async () => ofKind(await scene.user.log(await scene.idle()), "notice");
  const [notice, ...others] = await noticesOfStart();
  expect(notice).toMatchObject({ severity: "warning", title: "Gemini CLI does not trust this directory" });
  expect(others).toEqual([]);
  trustAll(scene.place);
  expect(await noticesOfStart()).toEqual([]);
});

test("it is logged in by its key, which asks nobody anything", async () => {
  const key = { id: "gemini-api-key", name: "Gemini API key" };
  const scripted = likeGemini([
    { on: "session/new", nth: 1, do: [{ error: { code: -32000, message: "Authentication required" } }] },
  ]);
  const initialize = { ...scripted.initialize, authMethods: [key] };
  await using scene = await openScene({ scripted: { ...scripted, initialize } });
  const stored = join(scene.place.stateDirectory, "env");
  mkdirSync(stored, { recursive: true, mode: 0o700 });
  writeFileSync(join(stored, "scripted:GEMINI_API_KEY"), "a-key", { mode: 0o600 });
  await scene.idle();
  const methods = scene
    .agent()
    .received()
    .map(({ method }) => method);
  expect(methods).toEqual(["initialize", "session/new", "authenticate", "session/new"]);
});
