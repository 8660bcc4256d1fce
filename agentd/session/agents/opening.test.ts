// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { AgentClient } from "../../../acp-client/agent-client.ts";
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { SessionState } from "../core/state.ts";
import { openAgentSession } from "./opening.ts";

const failure: AgentFailure = { code: "AGENT_AUTH", message: "Authentication required" };

/** Returns what the agent was asked. It has kept an earlier key, and so opens a session without a login. */
function asked(logins: object, authenticates = true): readonly string[] {
  const calls: string[] = [];
  const authMethods = ["browser", "api-key"].map((id) => ({ id, name: id, type: "agent" }));
  const client = {
    initialize: (done) => done({ ok: true, value: { authMethods, capabilities: {} } as never }),
    authenticate: (method, done) => {
      calls.push(`log in by ${method}`);
      done(authenticates ? { ok: true, value: undefined } : { ok: false, failure });
    },
    open: ({ how }, done) => {
      calls.push(how);
      done({ ok: true, value: {} as never });
    },
  } as Partial<AgentClient> as AgentClient;
  const state = { cwd: "/", additionalDirs: [], agentSide: null, run: { phase: "starting", openMode: "new" } };
  const options = { mcpServers: [], quirksOf: () => ({}), now: () => 0, ...logins };
  openAgentSession(client, state as unknown as SessionState, options, ({ type }) => calls.push(type));
  return calls;
}

test("a key that a person gave replaces the one that the agent has kept", () => {
  expect(asked({ keyLogins: () => ["api-key"] })).toEqual(["log in by api-key", "new", "opened"]);
});

test("whether a key that the agent refuses is needed is for the agent to say", () => {
  expect(asked({ keyLogins: () => ["api-key"] }, false)).toEqual(["log in by api-key", "new", "opened"]);
});

test("a key that was found in the environment is used only where the agent wants a login", () => {
  expect(asked({ quietLogins: () => ["api-key"] })).toEqual(["new", "opened"]);
});
