// SPDX-License-Identifier: MIT OR Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identityOf } from "../acp-client/process/process-identity.ts";
import { loginEnvironment } from "./login-environment.ts";

let home: string;
let running: ChildProcess | undefined;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agentd-login-")));
  mkdirSync(join(home, "state/env"), { recursive: true, mode: 0o700 });
});
afterEach(async () => {
  if (running !== undefined) {
    const ended = once(running, "exit");
    running.kill("SIGKILL");
    await ended;
    running = undefined;
  }
  rmSync(home, { recursive: true, force: true });
});

const configure = (text: string) => writeFileSync(join(home, "agentd.toml"), text, { mode: 0o600 });
const store = (name: string, value: string) => writeFileSync(join(home, "state/env", name), value, { mode: 0o600 });
// A PATH with a directory of the user's is not looked up in a login shell.
const own = () => ({
  PATH: `/usr/bin:${home}/bin`,
  HOME: home,
  AGENTD_CONFIG: join(home, "agentd.toml"),
  AGENTD_STATE_DIR: join(home, "state"),
});
const find = (agent: string, more: Record<string, string> = {}) =>
  loginEnvironment(agent, { own: { ...own(), ...more }, version: "1.0.0" });

test("it is that of the agent's sessions, without a terminal's", async () => {
  configure(`allow_env = ["GH_TOKEN"]
[agents.work]
command = ["claude-agent-acp"]
env = { CLAUDE_CONFIG_DIR = "/home/work/.claude" }
unset = ["HTTP_PROXY"]`);
  store("work:ANTHROPIC_API_KEY", "a-key\n");
  store("codex:OPENAI_API_KEY", "of another");
  store("NOT_FOR_ALL", "x");
  const more = { HTTP_PROXY: "p", GH_TOKEN: "t", TERM: "dumb", COLORTERM: "1", CLAUDECODE: "1", LANG: "C" };
  expect(await find("work", more)).toEqual({
    environment: {
      PATH: `/usr/bin:${home}/bin`,
      HOME: home,
      LANG: "C",
      CLAUDE_CONFIG_DIR: "/home/work/.claude",
      ANTHROPIC_API_KEY: "a-key",
    },
  });
});

test("of a built-in agent it has what agentd sets for it", async () => {
  expect(await find("codex")).toEqual({
    environment: { PATH: `/usr/bin:${home}/bin`, HOME: home, NO_BROWSER: "1" },
  });
});

test.runIf(process.platform === "linux")("it begins with the environment of the agentd that runs", async () => {
  const { AGENTD_STATE_DIR } = own();
  configure("");
  writeFileSync(join(home, "other.toml"), `[agents.work]\ncommand = ["x"]\nenv = { A = "1" }`, { mode: 0o600 });
  const env = { ...own(), AGENTD_CONFIG: join(home, "other.toml"), CODEX_HOME: "/home/work/=\n.codex" };
  running = spawn(process.execPath, ["-e", `console.log(""); setInterval(() => {}, 1e6)`], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(running.stdout ?? running, "data");
  const { pid = 0 } = running;
  const { startTime: start_time, bootId: boot_id } = identityOf(pid) ?? {};
  const record = { pid, started_at: "2026-01-01T00:00:00Z", start_time, boot_id };
  writeFileSync(join(AGENTD_STATE_DIR, "agentd.pid"), JSON.stringify(record));
  expect(await find("work", { CODEX_HOME: "/home/me/.codex" })).toEqual({
    environment: { PATH: env.PATH, HOME: home, CODEX_HOME: env.CODEX_HOME, A: "1" },
  });
});

test("without the agent's environment there is none: a login would be another account's", async () => {
  configure("[agents.work]\ncommand = 1\n");
  expect(await find("work")).toEqual({ problem: expect.stringContaining("agents.work.command must be") as string });
  configure("");
  expect(await find("work")).toEqual({ problem: expect.stringContaining("there is no agent") as string });
  store("codex:OPENAI_API_KEY", "");
  expect(await find("codex")).toEqual({ problem: expect.stringContaining("has no value") as string });
});
