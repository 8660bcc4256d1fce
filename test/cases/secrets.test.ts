// SPDX-License-Identifier: MIT OR Apache-2.0
// Values that are secret reach the agent and nobody else: not the log, not the Bus, not agentd's words, not `ps`.
// @module-tag slow
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject, RequestStep } from "../scripted-agent/scenario.ts";
import type { SessionListReply } from "../../agentd/vocabulary/index.ts";
import { handedServer, startHandedServer } from "../harness/handed-server.ts";
import { livingIn } from "./living.ts";
import { makeCast, ofKind, startWatched, stateOf, turnEnd } from "./scene.ts";

const canaries = {
  passed: "canary-passed-3f9a1c7e5b",
  stored: "canary-stored-8d2e4f6a0c",
  header: "canary-header-1b3d5f7a9c",
  literal: "canary-literal-0a2c4e6b8d",
  variable: "canary-variable-9e7c5a3b1d",
  configured: "canary-configured-6f4e2d0c8b",
};

test("no value that is secret is in the log, on the Bus, in agentd's words or on a command line (case 145)", async () => {
  const { passed, stored, header, literal, variable, configured } = canaries;
  using cast = makeCast({
    scripted: {
      initialize: { agentCapabilities: { mcpCapabilities: { http: true } } },
      rules: [
        {
          // An agent that tells its secrets on its way out.
          on: "session/prompt",
          do: [{ stderr: `token ${passed} and ${stored}, key ${configured}, mcp ${header}\n` }, { exit: 3 }],
        },
      ],
    },
  });
  const { place } = cast;
  const command = JSON.stringify(cast.agent().command);
  place.configure(
    `bus_tools = true\nallow_env = ["GH_TOKEN", "STORED_TOKEN", "MCP_TOKEN", "MCP_KEY"]\n[agents.keyed]\ncommand = ${command}\nenv = { API_KEY = "${configured}" }\n`,
  );
  mkdirSync(join(place.stateDirectory, "env"), { recursive: true, mode: 0o700 });
  writeFileSync(join(place.stateDirectory, "env", "STORED_TOKEN"), `${stored}\n`, { mode: 0o600 });
  const { daemon, user } = await startWatched(place, { GH_TOKEN: passed, MCP_TOKEN: header, MCP_KEY: variable });
  await using _ = daemon;
  const session = await user.start({
    agent: "keyed",
    cwd: place.directory(),
    env: ["GH_TOKEN", "STORED_TOKEN"],
    mcp_servers: [
      {
        type: "http",
        name: "far",
        url: "https://example.org/mcp",
        headers: [{ name: "Authorization", value: { env: "MCP_TOKEN" } }],
      },
      {
        name: "near",
        command: "/bin/true",
        args: [],
        env: [
          { name: "KEY", value: { env: "MCP_KEY" } },
          { name: "LITERAL", value: literal },
        ],
      },
    ],
  });
  await user.wait(session, "idle");

  // The agent has them all.
  const opened = cast
    .agent()
    .received()
    .find(({ method }) => method === "session/new");
  for (const value of [header, variable, literal]) expect(JSON.stringify(opened)).toContain(value);
  const agent = livingIn(place).find(({ pid }) => pid !== daemon.child.pid);
  const environment = readFileSync(`/proc/${agent?.pid}/environ`, "utf8").split("\0");
  for (const line of [`GH_TOKEN=${passed}`, `STORED_TOKEN=${stored}`, `API_KEY=${configured}`])
    expect(environment).toContain(line);
  expect(environment.some((line) => line.startsWith("MCP_TOKEN="))).toBe(false);
  expectNone(
    livingIn(place)
      .map((living) => living.command)
      .join("\n"),
  );

  // Its way back to the Bus is handed none of them, and tells none of them.
  const handed = handedServer(cast.agent());
  expectNone(JSON.stringify(handed));
  const { tool } = await startHandedServer(handed);
  expectNone((await tool("bus_services")).texts.join("\n"));
  for (const verb of ["agent.session.get", "agent.session.log"]) {
    const { texts, isError } = await tool("bus_call", { service: "agent", command: verb, args: { session } });
    expect(isError).toBe(false);
    expectNone(texts.join("\n"));
  }

  await user.prompt(session, "tell");
  const lost = await stateOf(user, session, "lost");
  expect(lost.error).toMatchObject({ error_code: "AGENT_EXITED" });
  const refused = await user.refusal("agent.session.start", {
    agent: "keyed",
    cwd: place.directory(),
    env: ["GH_TOKEN", "NOT_ALLOWED"],
  });
  expectNone(JSON.stringify(refused.body));
  expectNone(JSON.stringify(user.seen));
  expectNone(JSON.stringify(await user.log(session)));
  expectNone(JSON.stringify(await user.get(session)));
  expectNone(JSON.stringify(await user.call<SessionListReply>("agent.session.list", {})));
  expectNone(JSON.stringify(await user.call("agent.list", {})));
  expectNone(JSON.stringify(await user.call("agent.status", {})));
  expectNone(daemon.words());

  // The names are there, so that a reader of the log knows what the agent was given.
  const started = (await user.log(session, ["command"]))[0];
  expect(started).toMatchObject({
    args: {
      env: ["GH_TOKEN", "STORED_TOKEN"],
      mcp_servers: [
        { name: "far", headers: ["Authorization"] },
        { name: "near", env: ["KEY", "LITERAL"] },
      ],
    },
  });
  const files = filesOf(place.stateDirectory).filter((file) => !file.includes("/env/"));
  expect(files.some((file) => file.endsWith("log.db"))).toBe(true);
  for (const file of files) {
    const bytes = readFileSync(file);
    const found = Object.entries(canaries).filter(([, value]) => bytes.includes(value));
    // A literal is kept apart, for resuming: in the file, but in no entry (looked at above).
    expect(found.map(([name]) => name).filter((name) => name !== "literal")).toEqual([]);
  }
});

test("what an agent does wrong, and is refused, is told without the values that it was given", async () => {
  const { passed, configured } = canaries;
  const whole = `key ${passed} and ${configured}`;
  // A sample is cut at 200 characters, in the middle of the value.
  const cut = `${"x".repeat(185)}${passed}`;
  const sessionId = "$sessionId";
  const error = { message: `invalid ${whole}`, data: { header: [whole], [passed]: 1 } };
  const ask = (method: string, params: JsonObject): RequestStep => ({
    request: method,
    params: { sessionId, ...params },
  });
  const asked = [
    ask("fs/read_text_file", { path: `$cwd/${passed}` }),
    ask("fs/read_text_file", { path: `/${passed}` }),
    ask("fs/write_text_file", { path: `$cwd/written ${configured}`, content: whole }),
    ask("fs/write_text_file", { path: `/${configured}/x`, content: "" }),
    ask("terminal/create", { command: whole, args: [whole], cwd: `/${passed}` }),
  ];
  using cast = makeCast({
    scripted: {
      initialize: { authMethods: [{ id: "login", name: `by ${passed}`, description: whole }] },
      rules: [
        {
          on: "session/prompt",
          nth: 1,
          do: [
            { raw: `${whole}\n` },
            { reply: { text: whole }, to: 4711 },
            { notify: "mine/told", params: { whole, [passed]: [configured] } },
            { update: { sessionUpdate: "mine", whole } },
            { update: { sessionUpdate: "plan", entries: [] }, sessionId: cut },
            ...asked,
            // In a burst of its own: of one kind the first in a burst is told.
            { send: { jsonrpc: "2.0", id: 4712, error: { code: -32700, message: whole } } },
            { error: { code: -32603, ...error } },
          ],
        },
        { on: "session/prompt", nth: 2, do: [{ raw: `${cut}\n` }, { error: { code: -32000, ...error } }] },
      ],
    },
  });
  const { place } = cast;
  const command = JSON.stringify(cast.agent().command);
  place.configure(
    `allow_env = ["GH_TOKEN"]\n[agents.keyed]\ncommand = ${command}\nenv = { API_KEY = "${configured}" }\n`,
  );
  const { daemon, user } = await startWatched(place, { GH_TOKEN: passed });
  await using _ = daemon;
  const cwd = place.directory();
  const session = await user.start({ agent: "keyed", cwd, env: ["GH_TOKEN"] });
  await user.wait(session, "idle");
  await user.prompt(session, "wrong");
  const failed = await turnEnd(user, session);
  expect(failed.error).toMatchObject({ error_code: "AGENT_ERROR", rpc: { data: { header: [expect.any(String)] } } });
  await user.prompt(session, "login");
  expect((await turnEnd(user, session, 2)).error).toMatchObject({ error_code: "AGENT_AUTH" });

  const entries = await user.log(session);
  // All of it is told.
  expect(new Set(ofKind(entries, "diagnostic").map(({ what }) => what))).toEqual(
    new Set(["noise", "unknown-response", "foreign-session"]),
  );
  expect(ofKind(entries, "extension").length).toBeGreaterThanOrEqual(3);
  expect(ofKind(entries, "file").map(({ op, phase }) => `${op} ${phase}`)).toEqual([
    "read refused",
    "read refused",
    "write intended",
    "write done",
    "write intended",
    "write refused",
  ]);
  expect(ofKind(entries, "terminal").map(({ phase }) => phase)).toEqual(["started", "failed"]);
  expect(readFileSync(join(cwd, `written ${configured}`), "utf8")).toBe(whole);
  // Also no half of it.
  for (const text of [JSON.stringify(entries), JSON.stringify(user.seen)]) expect(text).not.toContain("canary");
  expectNone(daemon.words());
});

function expectNone(text: string): void {
  const found = Object.entries(canaries).filter(([, value]) => text.includes(value));
  expect(found.map(([name]) => name)).toEqual([]);
}

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => existsSync(file));
}
