// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PermissionEntry } from "../../vocabulary/index.ts";
import { phaseOf } from "./state.ts";
import { kinds } from "./testing/entry-kinds.ts";
import { SessionScript } from "./testing/session-script.ts";

test("a permission request for an unknown tool call creates it", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  const entries = script.asks(0, "unseen");
  expect(entries[0]).toMatchObject({
    kind: "tool_call",
    tool_call_id: "unseen",
    title: "do it",
    status: "pending",
    turn: 1,
  });
  expect(phaseOf(script.state)).toBe("waiting");
});

test("a permission request for a known tool call does not create it again", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.tool("t", "in_progress");
  expect(kinds(script.asks(0, "t"))).toEqual(["permission:requested", "state:waiting"]);
});

test("the first answer wins, and a later one is told who answered", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(0);
  const request = "aaaaaaaaaaaa-1";
  expect(kinds(script.command("agent.permission.answer", { request, option: "allow_once-0" }))).toContain(
    "permission:resolved",
  );
  script.command("agent.permission.answer", { request, option: "reject_once-1" });
  expect(script.refusals[0]).toMatchObject({
    error_code: "REQUEST_CLOSED",
    message: "the request was already closed by tester: allow_once-0",
    by: "tester",
    option: "allow_once-0",
  });
});

test("an option that was not offered is refused and nothing is sent", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(0);
  const before = script.effects.length;
  script.command("agent.permission.answer", { request: "aaaaaaaaaaaa-1", option: "allow_always" });
  expect(script.refusals[0]).toMatchObject({ error_code: "OPTION_UNKNOWN" });
  expect(script.effects).toHaveLength(before);
});

test("two requests about one tool call are separate", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(4, "same");
  script.asks(5, "same");
  script.command("agent.permission.answer", { request: "aaaaaaaaaaaa-2", option: "allow_once-0" });
  expect(script.effects.at(-1)).toMatchObject({ key: 5 });
  expect(script.state.requests.map(({ request }) => request)).toEqual(["aaaaaaaaaaaa-1"]);
});

test("a request that the agent withdraws is closed without an answer", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(7);
  const entries = script.says({ type: "withdrawn", request: 7 });
  expect(entries[0]).toMatchObject({ phase: "resolved", outcome: "cancelled", via: "agent" });
  expect(script.effects.some(({ type }) => type === "answer_request")).toBe(false);
});

test("no end of a request without an answer selects an allow, whatever is offered", () => {
  const kind = fc.constantFrom("allow_once", "allow_always", "reject_once", "reject_always", "allow_persistent", "");
  const end = fc.constantFrom("timeout", "cancel", "close", "exit", "stop", "withdrawn", "answer-cancelled");
  fc.assert(
    fc.property(fc.array(kind, { maxLength: 6 }), end, (offered, how) => {
      const script = new SessionScript();
      script.up();
      script.prompt("one");
      script.asks(0, "t", offered);
      const request = "aaaaaaaaaaaa-1";
      if (how === "timeout") script.put({ type: "timer", timer: "request", key: request });
      if (how === "cancel") script.cancel();
      if (how === "close") script.command("agent.session.close", {});
      if (how === "exit") script.exits();
      if (how === "stop") script.put({ type: "stop" });
      if (how === "withdrawn") script.says({ type: "withdrawn", request: 0 });
      if (how === "answer-cancelled") script.command("agent.permission.answer", { request, cancelled: true });
      const resolved = script.entries.filter(
        (entry): entry is PermissionEntry => entry.kind === "permission" && entry.phase === "resolved",
      );
      expect(resolved).toHaveLength(1);
      const [{ outcome, option }] = resolved as [PermissionEntry];
      if (outcome === "cancelled") return;
      expect(how).toBe("timeout");
      expect(offered[Number(option?.split("-").at(-1))]).toBe("reject_once");
    }),
  );
});

test("a timeout never selects an id that also allows", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  const options = ["reject_once", "allow_always"].map((kind) => ({ optionId: "same", name: kind, kind }));
  script.says({ type: "permission", request: 0, toolCall: { toolCallId: "t" }, options });
  const entries = script.put({ type: "timer", timer: "request", key: "aaaaaaaaaaaa-1" });
  expect(entries[0]).toMatchObject({ phase: "resolved", outcome: "cancelled", via: "timeout" });
  expect(script.effects).toContainEqual(
    expect.objectContaining({ type: "answer_request", answer: { outcome: "cancelled" } }),
  );
});

test("an answer after the expiry is refused, even if a machine that slept has not fired its timer", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(0);
  const request = "aaaaaaaaaaaa-1";
  script.now += 600_000;
  script.command("agent.permission.answer", { request, option: "allow_once-0" });
  expect(script.refusals[0]).toMatchObject({ error_code: "REQUEST_CLOSED", request, via: "timeout" });
  expect(script.effects.some(({ type }) => type === "answer_request")).toBe(false);
  expect(kinds(script.put({ type: "timer", timer: "request", key: request }))).toContain("permission:resolved");
});

test("an answer not written before its agent was gone is logged as unsent once", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(1);
  script.command("agent.session.close", {});
  expect(kinds(script.put({ type: "stopped" }))).toContain("permission:unsent");
  expect(kinds(script.put({ type: "stopped" }))).toEqual([]);
});

test("an answer that was written is not logged as unsent", () => {
  const script = new SessionScript();
  script.up();
  script.prompt("one");
  script.asks(1);
  script.command("agent.session.close", {});
  script.put({ type: "answer_sent", request: "aaaaaaaaaaaa-1" });
  expect(kinds(script.put({ type: "stopped" }))).not.toContain("permission:unsent");
});
