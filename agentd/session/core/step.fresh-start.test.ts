// SPDX-License-Identifier: MIT OR Apache-2.0
// Sessions that were to be restored and whose agent begins afresh instead, because a load would lose the conversation.
import { expect, test } from "vitest";
import { findLoadProblem } from "./resume.ts";
import { SessionScript, testIdentity } from "./testing/session-script.ts";

const offers = { load: true };
const identity = { ...testIdentity, capabilities: { ...testIdentity.capabilities, ...offers } };
const opened = { sessionId: "another", options: [] };

function ended(): SessionScript {
  const script = new SessionScript();
  script.up([], offers);
  script.command("agent.session.close", {});
  script.put({ type: "stopped" });
  return script;
}

test("a session that begins afresh though it was to be restored says why, and owes its agent the transcript", () => {
  const script = ended();
  script.resume(false);
  const entries = script.put({ type: "opened", identity, opened, resumed: "fresh", freshBecause: "it loads once" });
  expect(entries).toMatchObject([
    { kind: "notice", severity: "warning", description: "it loads once" },
    { kind: "state", state: "idle", resumed: "fresh", agent_session_id: "another" },
  ]);
  script.prompt("go on");
  expect(script.effects.find(({ type }) => type === "prompt")).toMatchObject({ transcript: true });
});

test("a session that people had begin afresh needs no words", () => {
  const script = ended();
  script.resume(true);
  const entries = script.put({ type: "opened", identity, opened, resumed: "fresh" });
  expect(entries.map(({ kind }) => kind)).toEqual(["state"]);
});

const noon = Date.UTC(2026, 0, 1, 12);

test.each([
  ["in the minute of its start", { openedAt: noon, wasLoaded: false }, noon + 59_999, "minute"],
  ["in the next minute", { openedAt: noon + 59_999, wasLoaded: false }, noon + 60_000, undefined],
  ["a second time", { openedAt: noon, wasLoaded: true }, noon + 3_600_000, "second time"],
])("an agent that loads a session once is asked for it only if it has it: %s", (_, opening, now, problem) => {
  const side = { sessionId: "s", info: null, protocolVersion: 1, capabilities: {}, ...opening };
  const found = findLoadProblem(side, now);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});
