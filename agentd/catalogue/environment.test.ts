// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { agentEnvironment, sessionMarker } from "./environment.ts";

const marker = { name: sessionMarker, value: "log1/abcdefghijkl" };

function environmentOf(
  parent: Record<string, string | undefined>,
  more: Partial<Parameters<typeof agentEnvironment>[0]> = {},
) {
  return { ...agentEnvironment({ parent, agent: {}, passed: {}, onlyWhenPassed: [], marker, ...more }) };
}

const always = { [sessionMarker]: marker.value, GIT_TERMINAL_PROMPT: "0", TERM: "dumb" };

test("variables that a person set for every program reach an agent", () => {
  const parent = {
    PATH: "/usr/bin",
    HOME: "/home/ann",
    LANG: "C.UTF-8",
    HTTPS_PROXY: "http://proxy:3128",
    ANTHROPIC_API_KEY: "k",
    CLAUDE_CODE_MAX_RETRIES: "1",
    CODEX_HOME: "/home/ann/.codex",
    GEMINI_API_KEY: "g",
    NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
    NPM_TOKEN: "t",
    NODE_ENV: "production",
    SSH_AUTH_SOCK: "/run/agent",
  };
  expect(environmentOf(parent)).toEqual({ ...parent, ...always });
});

test.each(["1", ""])("an agent cannot tell that agentd was started by another agent, whose variable is %j", (value) => {
  const parent = {
    CLAUDECODE: value,
    CLAUDE_CODE_ENTRYPOINT: value,
    CLAUDE_CODE_SESSION_ATTENDED: value,
    CLAUDE_PID: value,
    CLAUDE_EFFORT: value,
    GEMINI_CLI: value,
    CODEX_SANDBOX: value,
    OPENCODE: value,
  };
  expect(environmentOf(parent)).toEqual(always);
});

test("an agent cannot tell that agentd was started by a package script", () => {
  const parent = {
    npm_config_prefix: "/x",
    npm_lifecycle_event: "start",
    npm_package_json: "/x/package.json",
    npm_execpath: "/usr/lib/npm",
    INIT_CWD: "/x",
    NODE: "/usr/bin/node",
    PNPM_SCRIPT_SRC_DIR: "/x",
  };
  expect(environmentOf(parent)).toEqual(always);
});

test("agentd's own variables and another session's marker do not reach an agent", () => {
  const parent = {
    AGENTD_CONFIG: "/x",
    AGENTD_STATE_DIR: "/y",
    AGENTD_SESSION: "other/session",
    AGENTD_AUTOSTART: "0",
  };
  expect(environmentOf(parent)).toEqual(always);
});

test("variables meant for one Node process, one service or one terminal do not reach an agent", () => {
  const parent = {
    NODE_OPTIONS: "--inspect-brk",
    NODE_CHANNEL_FD: "3",
    NODE_V8_COVERAGE: "/c",
    VITEST: "true",
    VITEST_WORKER_ID: "1",
    NOTIFY_SOCKET: "/run/systemd/notify",
    JOURNAL_STREAM: "8:1",
    TERM: "xterm-256color",
    COLUMNS: "80",
    TMUX: "/tmp/tmux",
    GPG_TTY: "/dev/pts/1",
    GIT_ASKPASS: "/opt/code/askpass.sh",
    VSCODE_GIT_ASKPASS_NODE: "/opt/code/code",
    PWD: "/x",
    OLDPWD: "/y",
    SHLVL: "2",
    _: "/usr/bin/node",
  };
  expect(environmentOf(parent)).toEqual(always);
});

test("an agent's own variables override agentd's, passed ones override the agent's, and the marker overrides all", () => {
  const environment = environmentOf(
    { A: "parent", B: "parent", C: "parent" },
    {
      agent: { B: "agent", C: "agent", NODE_OPTIONS: "--max-old-space-size=4096", TERM: "xterm" },
      passed: { C: "passed", AGENTD_SESSION: "x" },
    },
  );
  expect(environment).toEqual({
    ...always,
    A: "parent",
    B: "agent",
    C: "passed",
    NODE_OPTIONS: "--max-old-space-size=4096",
    TERM: "xterm",
  });
});

test("a name of allow_env reaches an agent only if a start passes it on", () => {
  const parent = { GH_TOKEN: "t", PATH: "/bin" };
  expect(environmentOf(parent, { onlyWhenPassed: ["GH_TOKEN"] })).toEqual({ ...always, PATH: "/bin" });
  expect(environmentOf(parent, { onlyWhenPassed: ["GH_TOKEN"], passed: { GH_TOKEN: "t" } })).toEqual({
    ...always,
    ...parent,
  });
});

test("unset variables and names of Object.prototype do no harm", () => {
  const parent = { UNSET: undefined, constructor: "x" };
  expect(environmentOf(parent)).toEqual({ ...always, constructor: "x" });
});

test("a real child process gets exactly that environment", () => {
  const environment = agentEnvironment({
    parent: { ...process.env, CLAUDECODE: "1", npm_config_x: "1" },
    agent: { MODE: "quiet" },
    passed: { GH_TOKEN: "t" },
    onlyWhenPassed: [],
    marker,
  });
  const script = "process.stdout.write(JSON.stringify(process.env))";
  const seen = JSON.parse(
    execFileSync(process.execPath, ["-e", script], { env: environment, encoding: "utf8" }),
  ) as Record<string, string>;
  expect(seen).toEqual({ ...environment });
  expect(seen).toMatchObject({ ...always, MODE: "quiet", GH_TOKEN: "t" });
  expect(Object.keys(seen).filter((name) => /^(?:npm_|VITEST|CLAUDECODE)/u.test(name))).toEqual([]);
});

test("names in unset are absent, also of the fixed values, unless the start passes them on", () => {
  const parent = { HTTP_PROXY: "http://proxy:3128", KEY: "mine", LANG: "C.UTF-8" };
  const unset = ["HTTP_PROXY", "KEY", "TERM", "NOT_THERE"];
  expect(environmentOf(parent, { unset })).toEqual({
    LANG: "C.UTF-8",
    GIT_TERMINAL_PROMPT: "0",
    [sessionMarker]: marker.value,
  });
  expect(environmentOf(parent, { unset, passed: { KEY: "passed" } })).toMatchObject({ KEY: "passed" });
});
