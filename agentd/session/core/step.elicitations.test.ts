// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Elicitation } from "../../../acp-client/model.ts";
import type { ElicitationEntry, EntryContent } from "../../vocabulary/index.ts";
import { Draft } from "./draft.ts";
import { phaseOf } from "./state.ts";
import { recover } from "./recover.ts";
import { kinds } from "./testing/entry-kinds.ts";
import { SessionScript } from "./testing/session-script.ts";

const request = "aaaaaaaaaaaa-1";
const form: Elicitation = {
  mode: "form",
  message: "Who?",
  schema: { properties: { name: { type: "string" }, tone: { type: "string", default: "mild" } } },
};
const address: Elicitation = { mode: "url", message: "Log in", url: "https://a.example/", elicitationId: "e" };

function prompted(settings: ConstructorParameters<typeof SessionScript>[1] = {}): SessionScript {
  const script = new SessionScript({}, settings);
  script.up();
  script.prompt("one");
  return script;
}

function asks(script: SessionScript, asked: Elicitation = form, key = 1): readonly EntryContent[] {
  return script.says({ type: "elicitation", request: key, asked });
}

function resolved(script: SessionScript): ElicitationEntry[] {
  return script.entries.filter(
    (entry): entry is ElicitationEntry => entry.kind === "elicitation" && entry.phase === "resolved",
  );
}

test("a form is asked as it came, and its answer, filled in with defaults, is logged before it is sent", () => {
  const script = prompted();
  const [requested] = asks(script);
  expect(requested).toMatchObject({ phase: "requested", mode: "form", message: "Who?", turn: 1, notified: false });
  expect(phaseOf(script.state)).toBe("waiting");
  const answered = script.command("agent.elicitation.answer", { request, action: "accept", content: { name: "Ann" } });
  expect(kinds(answered)).toEqual(["command", "elicitation:resolved", "state:running", "reply"]);
  const content = { name: "Ann", tone: "mild" };
  expect(answered[1]).toMatchObject({ outcome: "accept", content, by: "tester" });
  expect(script.effects.at(-1)).toMatchObject({
    type: "answer_request",
    key: 1,
    answer: { outcome: "accept", content },
  });
  expect(script.put({ type: "answer_sent", request })).toMatchObject([{ kind: "elicitation", phase: "sent" }]);
  script.command("agent.elicitation.answer", { request, action: "decline" });
  expect(script.refusals[0]).toMatchObject({ error_code: "REQUEST_CLOSED", outcome: "accept", by: "tester" });
});

test("a URL is accepted without content", () => {
  const script = prompted();
  asks(script, address);
  script.command("agent.elicitation.answer", { request, action: "accept" });
  expect(script.effects.at(-1)).toMatchObject({ answer: { outcome: "accept" } });
  expect(resolved(script)[0]).not.toHaveProperty("content");
});

test("permissions and elicitations share their numbers and their limit, and neither takes the other's answer", () => {
  const script = prompted({ openRequestsMax: 2 });
  script.asks(1);
  asks(script, form, 2);
  asks(script, form, 3);
  expect(script.state.requests.map((open) => [open.request, open.kind])).toEqual([
    ["aaaaaaaaaaaa-1", "permission"],
    ["aaaaaaaaaaaa-2", "elicitation"],
  ]);
  expect(resolved(script)).toMatchObject([{ request: "aaaaaaaaaaaa-3", outcome: "cancel", via: "end" }]);
  script.command("agent.elicitation.answer", { request, action: "accept" });
  script.command("agent.permission.answer", { request: "aaaaaaaaaaaa-2", option: "x" });
  expect(script.refusals.map(({ error_code }) => error_code)).toEqual(["REQUEST_UNKNOWN", "REQUEST_UNKNOWN"]);
  expect(phaseOf(script.state)).toBe("waiting");
});

test("an answer not written before its agent was gone is logged as unsent once", () => {
  const script = prompted();
  asks(script);
  script.command("agent.session.close", {});
  expect(kinds(script.put({ type: "stopped" }))).toContain("elicitation:unsent");
  expect(kinds(script.put({ type: "stopped" }))).toEqual([]);
});

test("a request between turns keeps the session from being idle until it is answered", () => {
  const script = prompted();
  script.answered(1);
  asks(script);
  expect(phaseOf(script.state)).toBe("waiting");
  script.command("agent.elicitation.answer", { request, action: "decline" });
  expect(phaseOf(script.state)).toBe("idle");
  const idle = script.effects.filter((effect) => "timer" in effect && effect.timer === "idle");
  expect(idle.slice(-3).map(({ type }) => type)).toEqual(["arm", "disarm", "arm"]);
});

const end = fc.constantFrom(
  ...(["timeout", "cancel", "close", "stop", "exit", "withdrawn", "log_full", "turn", "restart", "decline"] as const),
);

test("an elicitation ends exactly once, and is accepted only by a person's accept", () => {
  fc.assert(
    fc.property(fc.constantFrom(form, address), fc.array(end, { minLength: 1, maxLength: 4 }), (asked, ends) => {
      const script = prompted();
      asks(script, asked);
      for (const how of ends) {
        if (how === "timeout") script.put({ type: "timer", timer: "request", key: request });
        if (how === "cancel") script.cancel();
        if (how === "close") script.command("agent.session.close", {});
        if (how === "stop" || how === "log_full") script.put({ type: how });
        if (how === "exit") script.exits();
        if (how === "withdrawn") script.says({ type: "withdrawn", request: 1 });
        if (how === "turn") script.answered(1);
        if (how === "decline") script.command("agent.elicitation.answer", { request, action: "decline" });
        if (how === "restart") {
          const draft = new Draft(script.state, script.context());
          recover(draft, { type: "recover", turns: [], openTools: [], processesEnded: 0 });
          script.entries.push(...draft.entries);
          break;
        }
      }
      const outcomes = resolved(script).map(({ outcome }) => outcome);
      expect(outcomes).toEqual([ends[0] === "decline" ? "decline" : "cancel"]);
      const answers = script.effects.filter((effect) => effect.type === "answer_request");
      expect(answers.length).toBeLessThanOrEqual(1);
      for (const { answer } of answers) expect(answer.outcome).not.toBe("accept");
    }),
  );
});
