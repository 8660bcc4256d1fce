// SPDX-License-Identifier: MIT OR Apache-2.0
// A person logs in to an agent: in the terminal, by the agent itself, with a page to visit, or with a key.
// @module-tag slow
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCast, openScene } from "./cases/scene.ts";
import { openShell, whyNoTmux } from "./harness/shell.ts";
import { livingIn } from "./cases/living.ts";
import type { JsonObject, Step } from "./scripted-agent/scenario.ts";

const byAgent: JsonObject = { id: "by-agent", name: "Log in by the agent" };
const another: JsonObject = { id: "another", name: "Log in otherwise" };
const terminal: JsonObject = {
  id: "tty",
  type: "terminal",
  name: "Log in here",
  args: ["--log-in"],
  env: { HOW: "tty" },
};
const variable: JsonObject = { id: "key", type: "env_var", name: "API key", vars: [{ name: "MY_KEY" }] };

test("the logins of an agent are listed, and one that the agent does itself is done by it, and then it is gone", async () => {
  await using scene = await openScene({ scripted: { initialize: { authMethods: [byAgent, terminal, variable] } } });
  const { user, place } = scene;
  expect(await user.call("agent.login", { agent: "scripted" })).toMatchObject({
    done: false,
    methods: [
      { method: "by-agent", type: "agent" },
      { method: "tty", type: "terminal" },
      { method: "key", type: "env_var", variables: ["MY_KEY"] },
    ],
  });
  expect(await user.call("agent.login", { agent: "scripted", method: "by-agent" })).toMatchObject({ done: true });
  expect(livingIn(place)).toEqual([]);
  expect(await user.call("agent.login", { agent: "scripted", method: "tty" })).toMatchObject({
    done: false,
    run: { command: [...scene.agent().command, "--log-in"], env: { HOW: "tty" } },
  });
  const authenticated = scene
    .agent()
    .received()
    .filter(({ method }) => method === "authenticate");
  expect(authenticated).toMatchObject([{ params: { methodId: "by-agent" } }]);
  const unknown = await user.refusal("agent.login", { agent: "scripted", method: "none" });
  expect(unknown).toMatchObject({
    code: "UNSUPPORTED",
    message: expect.stringContaining("by-agent, tty, key") as string,
  });
  expect((await user.refusal("agent.login", { agent: "nobody" })).code).toBe("AGENT_UNKNOWN");
});

test("a page to visit is told, and the next call waits for what comes of it", async () => {
  await using scene = await openScene({
    scripted: {
      initialize: { authMethods: [byAgent] },
      rules: [
        {
          on: "authenticate",
          do: [
            {
              request: "elicitation/create",
              params: {
                requestId: 1,
                mode: "url",
                elicitationId: "e",
                url: "https://example.org/device",
                message: "Enter AB-12",
              },
            },
            { awaitAnswers: true },
            { error: { code: -32000, message: "the code has expired" } },
          ],
        },
      ],
    },
  });
  const { user } = scene;
  const login = { agent: "scripted", method: "by-agent" };
  const visit = { nth: 1, url: "https://example.org/device", message: "Enter AB-12" };
  expect(await user.call("agent.login", login)).toMatchObject({ done: false, visit });
  const failed = await user.refusal("agent.login", { ...login, visits: 1 });
  expect(failed).toMatchObject({
    code: "AGENT_AUTH",
    message: expect.stringContaining("the code has expired") as string,
  });
});

const page = (code: string): Step => ({
  request: "elicitation/create",
  params: { requestId: 1, mode: "url", elicitationId: code, url: `https://example.org/${code}`, message: code },
});

test("whoever comes later is told of the page as well, and a second page is told, too", async () => {
  await using scene = await openScene({
    scripted: (directory) => ({
      initialize: { authMethods: [byAgent] },
      rules: [
        {
          on: "authenticate",
          do: [
            page("first"),
            { awaitAnswers: true },
            { waitForFile: join(directory, "go") },
            page("second"),
            { awaitAnswers: true },
          ],
        },
      ],
    }),
  });
  const { user } = scene;
  const login = { agent: "scripted", method: "by-agent" };
  const first = { done: false, visit: { nth: 1, url: "https://example.org/first" } };
  expect(await user.call("agent.login", login)).toMatchObject(first);
  // Somebody else, or the same person who has given up and begun again.
  expect(await user.call("agent.login", login)).toMatchObject(first);
  const next = user.call("agent.login", { ...login, visits: 1 });
  writeFileSync(join(scene.agent().directory, "go"), "");
  expect(await next).toMatchObject({ done: false, visit: { nth: 2, url: "https://example.org/second" } });
});

test("of logins with several methods at once one is left, and it ends with agentd", async () => {
  const scene = await openScene(
    { scripted: { initialize: { authMethods: [byAgent, another] }, rules: [{ on: "authenticate", do: [] }] } },
    { limits: { loginWaitMs: 1_000 } },
  );
  const { user, place } = scene;
  const agent = "scripted";
  await user.call("agent.login", { agent, method: "by-agent" });
  const outcomes = await Promise.allSettled(
    ["another", "by-agent", "another"].map((method) => user.call("agent.login", { agent, method })),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
  expect(livingIn(place)).toHaveLength(1);
  await scene[Symbol.asyncDispose]();
  expect(livingIn(place)).toEqual([]);
});

test("a login in the older form is run by its own command", async () => {
  const older: JsonObject = {
    id: "older",
    name: "Log in here",
    _meta: { "terminal-auth": { command: "/opt/claude", args: ["/login"], env: { HOW: "tty" } } },
  };
  await using scene = await openScene({ scripted: { initialize: { authMethods: [older] } } });
  expect(await scene.user.call("agent.login", { agent: "scripted", method: "older" })).toMatchObject({
    done: false,
    run: { command: ["/opt/claude", "/login"], env: { HOW: "tty" } },
  });
});

test("a login that fails without a key asks for it, and is done by the agent once there is one", async () => {
  const agentInfo = { name: "@agentclientprotocol/codex-acp", version: "2.6.0" };
  const initialize = { agentInfo, authMethods: [{ id: "api-key", name: "API Key" }, byAgent] };
  await using scene = await openScene({ scripted: { initialize } });
  const { user, place } = scene;
  const login = { agent: "scripted", method: "api-key" };
  expect(await user.call("agent.login", { agent: "scripted" })).toMatchObject({
    methods: [
      { method: "api-key", type: "env_var", variables: ["CODEX_API_KEY"] },
      { method: "by-agent", type: "agent" },
    ],
  });
  expect(await user.call("agent.login", login)).toMatchObject({ done: false, variables: ["CODEX_API_KEY"] });
  const stored = join(place.stateDirectory, "env");
  mkdirSync(stored, { recursive: true, mode: 0o700 });
  writeFileSync(join(stored, "scripted:OPENAI_API_KEY"), "a-key", { mode: 0o600 });
  expect(await user.call("agent.login", login)).toMatchObject({ done: true });
  const received = scene.agent().received();
  expect(received.filter(({ method }) => method === "authenticate")).toHaveLength(1);
});

test("a login that takes long goes on, and ends with agentd", async () => {
  const scene = await openScene(
    { scripted: { initialize: { authMethods: [byAgent] }, rules: [{ on: "authenticate", do: [] }] } },
    { limits: { loginWaitMs: 100 } },
  );
  const login = { agent: "scripted", method: "by-agent" };
  const authentications = () =>
    scene
      .agent()
      .received()
      .filter(({ method }) => method === "authenticate");
  const pending = { done: false, pending: true };
  do expect(await scene.user.call("agent.login", login)).toMatchObject(pending);
  while (authentications().length === 0);
  expect(await scene.user.call("agent.login", login)).toMatchObject(pending);
  expect(authentications()).toHaveLength(1);
  await scene[Symbol.asyncDispose]();
  expect(livingIn(scene.place)).toEqual([]);
});

test.skipIf(whyNoTmux() !== undefined)("a person chooses a login, and it gets the terminal", async () => {
  using cast = makeCast(
    { scripted: { initialize: { authMethods: [terminal, variable] } } },
    {
      wrap: ([node, program, scenario]) => [
        "/bin/sh",
        "-c",
        `[ "$1" = --log-in ] || exec '${node}' '${program}' '${scenario}'
         test -t 0 && printf 'code (%s, %s): ' "$HOW" "$WHO$MY_TOKEN" && read -r code && echo "$code" > "$HOME/logged-in" && test "$code" != wrong && { test "$code" != silent || { stty -echo; false; }; }`,
        "agent",
      ],
    },
  );
  const { place } = cast;
  // The table of the agent is the last one.
  appendFileSync(place.configFile, `env = { WHO = "work" }\n`);
  const stored = join(place.stateDirectory, "env");
  mkdirSync(stored, { recursive: true, mode: 0o700 });
  writeFileSync(join(stored, "scripted:MY_TOKEN"), " and stored", { mode: 0o600 });
  await using shell = await openShell(place, { columns: 80, rows: 24 });
  const screen = await shell.run("mix agent agents login scripted", "or Enter for none:");
  expect(screen).toContain("  1  Log in here (in this terminal)\n  2  API key (a key)");
  await shell.window.type("1");
  await shell.window.press("Enter");
  await shell.window.shows("code (tty, work and stored):");
  await shell.window.type("1234");
  await shell.window.press("Enter");
  await shell.window.shows("logged in to scripted");
  expect(readFileSync(join(place.home, "logged-in"), "utf8")).toBe("1234\n");

  await shell.run("mix agent agents login scripted tty", "code (tty, work and stored):");
  await shell.window.type("wrong");
  await shell.window.press("Enter");
  await shell.window.shows(/AGENT_AUTH: the login of scripted ended with exit code 1[^]*\(exit 7\)/);

  // bash sets the modes right itself after a command that failed, a script does not.
  await shell.run(
    "sh -c 'mix agent agents login scripted tty; stty -a | grep -ow -e -echo -e echo'",
    "code (tty, work and stored):",
  );
  await shell.window.type("silent");
  await shell.window.press("Enter");
  await shell.window.shows(/ended with exit code 1[^]*^echo$/m);

  await shell.run("mix agent agents login scripted tty", "code (tty, work and stored):");
  await shell.window.press("C-c");
  await shell.window.shows(/the login of scripted was stopped[^]*\(exit 130\)/);

  await shell.run("mix agent agents login scripted key", "MY_KEY for scripted (not shown):");
  await shell.window.type("sk-canary-0123456789");
  await shell.window.press("Enter");
  const shown = await shell.window.shows("logged in to scripted");
  expect(shown).not.toContain("canary");
  expect(existsSync(join(stored, "scripted:MY_KEY"))).toBe(true);

  await shell.run(
    "mix agent agents login scripted < /dev/null",
    /USAGE: scripted has several logins[^]*login scripted key[^]*\(exit 2\)/,
  );
  await shell.run(
    "mix agent agents login scripted tty < /dev/null",
    /needs a terminal; run in one: mix agent agents login\s+scripted tty[^]*\(exit 7\)/,
  );
});

test("a login that only names the agent's own program is not said to be done", async () => {
  const byProgram: JsonObject = { id: "opencode-login", name: "Log in", description: "Run `opencode auth login`" };
  const agentInfo = { name: "OpenCode", title: "OpenCode", version: "1.18.33" };
  await using scene = await openScene({ scripted: { initialize: { agentInfo, authMethods: [byProgram] } } });
  const { user } = scene;
  expect(await user.call("agent.login", { agent: "scripted" })).toMatchObject({
    methods: [{ method: "opencode-login", type: "terminal" }],
  });
  const refused = await user.refusal("agent.login", { agent: "scripted", method: "opencode-login" });
  expect(refused).toMatchObject({
    code: "UNSUPPORTED",
    message: expect.stringContaining("Run `opencode auth login`") as string,
  });
  const methods = scene
    .agent()
    .received()
    .map(({ method }) => method);
  expect(methods).not.toContain("authenticate");
});
