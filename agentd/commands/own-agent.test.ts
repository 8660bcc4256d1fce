// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { isActing, type Verb, verbs } from "../vocabulary/index.ts";
import { agentSession, type Sessions, whyNotByAgent } from "./own-agent.ts";

const own = "aaaaaaaaaaaa";
const child = "bbbbbbbbbbbb";
const agent = `mcp-s-${own}-x2y3`;
const sessions: Sessions = {
  find: (reference) => ({ [own]: own, mine: own, aaaa: own, [child]: child, other: child })[reference],
  parentOf: (session) => (session === child ? own : null),
};

test.each([own, "mine", "aaaa"])("an agent may not act on its own session by calling it %s", (session) => {
  for (const verb of [
    "agent.session.prompt",
    "agent.session.cancel",
    "agent.session.close",
    "agent.session.set_config",
  ] as const) {
    expect(whyNotByAgent(agent, verb, { session }, sessions)?.error_code).toBe("AGENT_SELF");
  }
});

test("an agent may answer nobody's question: not its own, not its child's, not a stranger's", () => {
  for (const verb of ["agent.permission.answer", "agent.elicitation.answer"] as const) {
    for (const request of [`${own}-1`, `${child}-1`, "cccccccccccc-1"]) {
      for (const by of [agent, "mcp-abcdef"]) {
        expect(whyNotByAgent(by, verb, { request }, sessions)?.error_code).toBe("AGENT_SELF");
      }
      expect(whyNotByAgent("mix-abcdef", verb, { request }, sessions)).toBeUndefined();
    }
  }
});

test("an agent may take nothing out of the log, also not of another session", () => {
  expect(whyNotByAgent(agent, "agent.session.purge", { session: child }, sessions)?.error_code).toBe("AGENT_SELF");
  expect(whyNotByAgent(agent, "agent.log.prune", {}, sessions)?.error_code).toBe("AGENT_SELF");
  expect(whyNotByAgent(agent, "agent.log.redact", {}, sessions)?.error_code).toBe("AGENT_SELF");
});

test("an agent may start a session and steer it, and the agent of that one may not start any", () => {
  expect(whyNotByAgent(agent, "agent.session.start", {}, sessions)).toBeUndefined();
  expect(whyNotByAgent(agent, "agent.session.prompt", { session: child }, sessions)).toBeUndefined();
  const childsAgent = `mcp-s-${child}-x2y3`;
  expect(whyNotByAgent(childsAgent, "agent.session.start", {}, sessions)?.error_code).toBe("AGENT_DEPTH");
  expect(whyNotByAgent(childsAgent, "agent.session.resume", { session: "other" }, sessions)?.error_code).toBe(
    "AGENT_DEPTH",
  );
});

test("what only reads is for everybody, and so is everything for who is no agent", () => {
  for (const verb of verbs as readonly Verb[]) {
    if (!isActing(verb)) expect(whyNotByAgent(agent, verb, { session: own }, sessions)).toBeUndefined();
    expect(whyNotByAgent("mix-abcdef", verb, { session: own }, sessions)).toBeUndefined();
    expect(whyNotByAgent(null, verb, { session: own }, sessions)).toBeUndefined();
  }
});

test("only the name that the broker stamped on an agent's program is an agent's", () => {
  expect(agentSession(agent)).toBe(own);
  for (const name of ["mcp-abcdef", "mix-aaaaaa", `xmcp-s-${own}-x`, null]) expect(agentSession(name)).toBeUndefined();
});
