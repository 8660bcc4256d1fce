// SPDX-License-Identifier: MIT OR Apache-2.0
// A person logs in to an agent: in the terminal, by the agent itself, with a page to visit, or with a key.
// @module-tag slow
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCast, openScene } from "./cases/scene.ts";
import { openShell, whyNoTmux } from "./harness/shell.ts";
import { livingIn } from "./cases/living.ts";
import type { JsonObject } from "./scripted-agent/scenario.ts";

const byAgent: JsonObject = { id: "by-agent", name: "Log in by the agent" };
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
  expect(await user.call("agent.login", login)).toMatchObject({
    done: false,
    visit: { url: "https://example.org/device", message: "Enter AB-12" },
  });
  const failed = await user.refusal("agent.login", login);
  expect(failed).toMatchObject({
    code: "AGENT_AUTH",
    message: expect.stringContaining("the code has expired") as string,
  });
});

test("a login that takes long goes on, and ends with agentd", async () => {
  const scene = await openScene(
    { scripted: { initialize: { authMethods: [byAgent] }, rules: [{ on: "authenticate", do: [] }] } },
    { limits: { loginWaitMs: 100 } },
  );
  const login = { agent: "scripted", method: "by-agent" };
  expect(await scene.user.call("agent.login", login)).toMatchObject({ done: false, pending: true });
  expect(await scene.user.call("agent.login", login)).toMatchObject({ pending: true });
  expect(
    scene
      .agent()
      .received()
      .filter(({ method }) => method === "authenticate"),
  ).toHaveLength(1);
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
         test -t 0 && printf 'code (%s): ' "$HOW" && read -r code && echo "$code" > "$HOME/logged-in" && test "$code" != wrong`,
        "agent",
      ],
    },
  );
  const { place } = cast;
  await using shell = await openShell(place, { columns: 80, rows: 24 });
  const screen = await shell.run("mix agent agents login scripted", "or Enter for none:");
  expect(screen).toContain("  1  Log in here (in this terminal)\n  2  API key (a key)");
  await shell.window.type("1");
  await shell.window.press("Enter");
  await shell.window.shows("code (tty):");
  await shell.window.type("1234");
  await shell.window.press("Enter");
  await shell.window.shows("logged in to scripted");
  expect(readFileSync(join(place.home, "logged-in"), "utf8")).toBe("1234\n");

  await shell.run("mix agent agents login scripted tty", "code (tty):");
  await shell.window.type("wrong");
  await shell.window.press("Enter");
  await shell.window.shows(/AGENT_AUTH: the login of scripted ended with exit code 1[^]*\(exit 7\)/);

  await shell.run("mix agent agents login scripted key", "MY_KEY for scripted (not shown):");
  await shell.window.type("sk-canary-0123456789");
  await shell.window.press("Enter");
  const stored = await shell.window.shows("logged in to scripted");
  expect(stored).not.toContain("canary");
  expect(existsSync(join(place.stateDirectory, "env", "scripted:MY_KEY"))).toBe(true);

  await shell.run(
    "mix agent agents login scripted < /dev/null",
    /USAGE: scripted has several logins[^]*login scripted key[^]*\(exit 2\)/,
  );
  await shell.run(
    "mix agent agents login scripted tty < /dev/null",
    /needs a terminal; run in one with HOW set:[^]*\(exit 7\)/,
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
