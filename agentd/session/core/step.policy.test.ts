// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PolicyEvidence } from "./requests/policy.ts";
import { Draft } from "./draft.ts";
import type { StepContext } from "./input.ts";
import { phaseOf } from "./state.ts";
import type { EntryContent, PermissionEntry } from "../../vocabulary/index.ts";
import { recover } from "./recover.ts";
import { kinds } from "./testing/entry-kinds.ts";
import { SessionScript } from "./testing/session-script.ts";

const reading = { allowOnce: [{ kinds: ["read" as const], within: "session" as const }] };
const inside: PolicyEvidence = {
  kindsBefore: ["read"],
  locations: [{ path: "/work/a", real: "/work/a" }],
  diffs: [],
  incomplete: false,
  tooMany: false,
  ruleDirectories: new Map(),
};

function prompted(policies: StepContext["settings"]["policies"] = new Map([["reading", reading]])): SessionScript {
  const script = new SessionScript({ policy: "reading" }, { policies });
  script.up();
  script.prompt("one");
  return script;
}

function asks(
  script: SessionScript,
  optionKinds: readonly string[] = ["allow_once", "reject_once"],
  evidence: PolicyEvidence | undefined = inside,
  request = 1,
): readonly EntryContent[] {
  const options = optionKinds.map((kind, index) => ({ optionId: `${kind}-${index}`, name: kind, kind }));
  const event = { type: "permission" as const, request, toolCall: { toolCallId: "t", title: "do it" }, options };
  return script.put({ type: "agent", event, ...(evidence === undefined ? {} : { evidence }) });
}

test("a policy's allow is logged in the commit of its request, and the session never waits", () => {
  const script = prompted();
  const entries = asks(script);
  expect(kinds(entries)).toEqual(["tool_call", "permission:requested", "permission:resolved"]);
  expect(entries[2]).toMatchObject({
    outcome: "selected",
    option: "allow_once-0",
    via: "policy",
    by: null,
    why: 'policy "reading", rule 1: read within the session\'s directories',
  });
  expect(phaseOf(script.state)).toBe("running");
  expect(script.effects.at(-1)).toMatchObject({
    type: "answer_request",
    answer: { outcome: "selected", option: "allow_once-0" },
  });
  script.command("agent.permission.answer", { request: "aaaaaaaaaaaa-1", cancelled: true });
  expect(script.refusals[0]).toMatchObject({ error_code: "REQUEST_CLOSED", via: "policy" });
});

test("a request that the policy leaves to a person says why", () => {
  const script = prompted();
  const entries = asks(script, ["allow_once", "allow_once"]);
  expect(entries[1]).toMatchObject({ phase: "requested", why: expect.stringContaining("2 options allow once") });
  expect(phaseOf(script.state)).toBe("waiting");
});

test("no policy answers a session without one, whatever the configuration has", () => {
  const script = new SessionScript({}, { policies: new Map([["reading", reading]]) });
  script.up();
  script.prompt("one");
  asks(script);
  expect(phaseOf(script.state)).toBe("waiting");
});

test("a missing policy answers nothing, which is logged once, and again if it was back in between", () => {
  const policies = new Map([["reading", reading]]);
  const script = prompted(policies);
  const gone = () => script.entries.filter((entry) => entry.kind === "diagnostic" && entry.what === "policy-gone");
  policies.clear();
  for (const request of [1, 2]) asks(script, undefined, inside, request);
  expect(gone()).toHaveLength(1);
  expect(script.state.requests).toHaveLength(2);
  policies.set("reading", reading);
  asks(script, undefined, inside, 3);
  expect(script.state.requests).toHaveLength(2);
  policies.clear();
  asks(script, undefined, inside, 4);
  expect(gone()).toHaveLength(2);
});

test("a policy allows nothing while the turn is being cancelled", () => {
  const script = prompted();
  script.cancel();
  expect(asks(script).at(-1)).toMatchObject({ phase: "resolved", outcome: "cancelled", via: "cancel" });
});

test("the policy is named in the first entry of each run", () => {
  const script = prompted();
  expect(script.entries.find((entry) => entry.kind === "state")).toMatchObject({ policy: "reading" });
});

const optionKind = fc.constantFrom("allow_once", "allow_always", "reject_once", "reject_always", "allow", "");
const end = fc.constantFrom(
  ...(["allow", "deny", "timeout", "cancel", "close", "stop", "exit", "withdrawn", "log_full", "restart"] as const),
);
const place = fc.constantFrom("/work/a", "/elsewhere", undefined);

test("only a person's or the policy's answer allows, and each request ends once", () => {
  fc.assert(
    fc.property(fc.array(optionKind, { maxLength: 5 }), end, place, fc.boolean(), (offered, how, real, known) => {
      const script = prompted(known ? undefined : new Map());
      asks(script, offered, { ...inside, locations: [{ path: "/work/a", real }] });
      const request = "aaaaaaaaaaaa-1";
      const chosen = offered.findIndex((kind) => kind.startsWith("allow"));
      const said = chosen === -1 ? undefined : `${offered[chosen]}-${chosen}`;
      if (how === "allow" && said !== undefined) script.command("agent.permission.answer", { request, option: said });
      if (how === "deny") script.command("agent.permission.answer", { request, cancelled: true });
      if (how === "timeout") script.put({ type: "timer", timer: "request", key: request });
      if (how === "cancel") script.cancel();
      if (how === "close") script.command("agent.session.close", {});
      if (how === "stop" || how === "log_full") script.put({ type: how });
      if (how === "exit") script.exits();
      if (how === "withdrawn") script.says({ type: "withdrawn", request: 1 });
      if (how === "restart") {
        const draft = new Draft(script.state, script.context());
        recover(draft, { type: "recover", turns: [], openTools: [], processesEnded: 0 });
        script.entries.push(...draft.entries);
      }
      const resolved = script.entries.filter(
        (entry): entry is PermissionEntry => entry.kind === "permission" && entry.phase === "resolved",
      );
      expect(resolved).toHaveLength(how === "allow" && said === undefined && resolved.length === 0 ? 0 : 1);
      for (const { option, via, by } of resolved) {
        const kind = offered[Number(option?.split("-").at(-1))];
        const isYes = option !== undefined && kind !== "reject_once";
        if (!isYes) continue;
        if (via === "policy") expect(offered.filter((each) => each === "allow_once")).toEqual([kind]);
        else expect([how, by, option]).toEqual(["allow", "tester", said]);
        expect(via === "policy" ? known && real === "/work/a" : true).toBe(true);
      }
      const answers = script.effects.filter((effect) => effect.type === "answer_request");
      expect(answers.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 1_000 },
  );
});

test("a prompt can have people asked whatever the policy says, in its turn and what comes late of it, but in no other", () => {
  const script = prompted();
  script.answered(1);
  script.command("agent.session.prompt", { prompt: "ask me", when_busy: "refuse", always_ask: true });
  const [, requested] = asks(script, undefined, inside, 2);
  expect(requested).toMatchObject({ phase: "requested", why: expect.stringContaining("people are to be asked") });
  expect(phaseOf(script.state)).toBe("waiting");
  script.command("agent.permission.answer", { request: "aaaaaaaaaaaa-1", cancelled: true });
  script.answered(2);
  expect(asks(script, undefined, inside, 3).some((entry) => "via" in entry && entry.via === "policy")).toBe(false);
  script.command("agent.permission.answer", { request: "aaaaaaaaaaaa-2", cancelled: true });
  script.prompt("as usual");
  expect(asks(script, undefined, inside, 4).at(-1)).toMatchObject({ phase: "resolved", via: "policy" });
});
