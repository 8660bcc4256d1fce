// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { AgentClient } from "../../../acp-client/agent-client.ts";
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { SessionState } from "../core/state.ts";
import { openAgentSession } from "./opening.ts";

const failure: AgentFailure = { code: "AGENT_AUTH", message: "Authentication required" };

/** Returns what the agent was asked, and what was posted. It opens a session only after a login if `wantsLogin`. */
function asked(wantsLogin: boolean, authenticates = true): readonly string[] {
  const calls: string[] = [];
  let isLoggedIn = !wantsLogin;
  const authMethods = ["browser", "api-key"].map((id) => ({ id, name: id, type: "agent" }));
  const client = {
    initialize: (done) => done({ ok: true, value: { authMethods, capabilities: {} } as never }),
    authenticate: (method, done) => {
      calls.push(`log in by ${method}`);
      isLoggedIn = authenticates;
      done(authenticates ? { ok: true, value: undefined } : { ok: false, failure });
    },
    open: ({ how }, done) => {
      calls.push(how);
      done(isLoggedIn ? { ok: true, value: {} as never } : { ok: false, failure });
    },
  } as Partial<AgentClient> as AgentClient;
  const state = { cwd: "/", additionalDirs: [], agentSide: null, run: { phase: "starting", openMode: "new" } };
  const options = { mcpServers: [], quirksOf: () => ({}), quietLogins: () => ["api-key"], now: () => 0 };
  openAgentSession(client, state as unknown as SessionState, options, ({ type }) => calls.push(type));
  return calls;
}

test("an agent that opens a session keeps the login that it has", () => {
  expect(asked(false)).toEqual(["new", "opened"]);
});

test("an agent that wants a login gets the one that asks nobody anything, once", () => {
  expect(asked(true)).toEqual(["new", "log in by api-key", "new", "opened"]);
  expect(asked(true, false)).toEqual(["new", "log in by api-key", "open_failed"]);
});
