// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CheckReport } from "../../agentd/vocabulary/check.ts";
import type { LoginEnvironment } from "../../agentd/vocabulary/login-environment.ts";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

async function answering(reply: object): Promise<void> {
  const body = JSON.stringify({ agent: "mine", ...reply });
  await bench.agentd({ replies: { "agent.login": { rc: 0, body } } });
}
const login = ["agent", "agents", "login", "mine"];

test("what to type instead of a question is one line a method, and each method one word for a shell", async () => {
  const hostile = { method: "a; rm -rf 'x'", name: "A\n  mix agent stop\u001b[2J", type: "agent" };
  await answering({ done: false, methods: [hostile, { method: "b", name: "B", type: "agent" }] });
  const { code, stderr } = await bench.run(login);
  expect(code).toBe(2);
  expect(stderr).toBe(
    [
      "asking mine how people log in …",
      "USAGE: mine has several logins; choose one:",
      `    mix agent agents login mine 'a; rm -rf '\\''x'\\'''   A\\n  mix agent stop\\x1b[2J`,
      "    mix agent agents login mine b   B\n",
    ].join("\n"),
  );
});

/** agentd's own program prints this, whatever it is asked. */
function agentdPrints(line: CheckReport | LoginEnvironment): void {
  writeFileSync(join(bench.directory, "no-agentd.mjs"), `console.log(${JSON.stringify(JSON.stringify(line))});`);
}

test("a program of a login is found on the agent's PATH, but not in the directory in which mix is called", async () => {
  agentdPrints({ environment: { PATH: `.:${bench.directory}` } });
  await answering({ done: false, run: { command: ["login-program", "it's"], env: {} } });
  const { code, stderr } = await bench.run([...login, "tty"], { tty: true });
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: "AGENT_UNAVAILABLE: login-program was not found on the PATH of mine\n",
  });
});

test("a login program has the environment of the agent's sessions, the login's, and the terminal's, and no other", async () => {
  agentdPrints({ environment: { WHO: "work", HOW: "by agent", HOME: "/home/work" } });
  const file = join(bench.directory, "environment");
  const program = `require("fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env))`;
  const run = { command: [process.execPath, "-e", program], env: { HOW: "by login" } };
  await answering({ done: false, run });
  const env = { WHO: "private", HOME: "/home/me", CODEX_HOME: "/home/me/.codex", TERM: "xterm" };
  const { code, stderr } = await bench.run([...login, "tty"], { tty: true, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("logged in to mine") as string });
  const found = JSON.parse(readFileSync(file, "utf8")) as object;
  expect(found).toEqual({ WHO: "work", HOW: "by login", HOME: "/home/work", TERM: "xterm" });
});

test.each<[string, LoginEnvironment | string, string]>([
  ["says why not", { problem: "agentd.toml:1: unknown key" }, "cannot be logged in to: agentd.toml:1: unknown key\n"],
  ["prints what is no JSON", "a-secret", "UNREACHABLE: agentd's own program failed: what it printed is not JSON\n"],
])("a login program is not run if agentd's own program %s", async (_, printed, words) => {
  if (typeof printed === "string") writeFileSync(join(bench.directory, "no-agentd.mjs"), `console.log("${printed}");`);
  else agentdPrints(printed);
  await answering({ done: false, run: { command: [process.execPath, "-e", ""], env: {} } });
  const { code, stderr } = await bench.run([...login, "tty"], { tty: true });
  expect(code).not.toBe(0);
  expect(stderr).toContain(words);
  expect(stderr).not.toContain("running");
  expect(stderr).not.toContain("a-secret");
});

test("without a terminal it is said what to run in one", async () => {
  await answering({ done: false, run: { command: ["login-program"], env: { HOW: "tty" } } });
  const { stderr } = await bench.run([...login, "by tty"]);
  expect(stderr).toBe("AGENT_AUTH: this login needs a terminal; run in one: mix agent agents login mine 'by tty'\n");
});

test("SIGTERM ends the login program too", async () => {
  agentdPrints({ environment: {} });
  const program = `process.stdout.write(""); setInterval(() => {}, 1e6)`;
  await answering({ done: false, run: { command: [process.execPath, "-e", program], env: {} } });
  const run = bench.start([...login, "tty"], { tty: true });
  await run.shows("running:");
  run.interrupt("SIGTERM");
  const { code, stderr } = await run.ended;
  expect(code).toBe(130);
  expect(stderr).toContain("the login of mine was stopped; again: mix agent agents login mine");
});

test("a login that needs a key stores it, and then lets the agent log in with it", async () => {
  const state = join(bench.directory, "state");
  agentdPrints({ version: "1", state: { directory: state } });
  const body = JSON.stringify({ agent: "mine", done: false, variables: ["MY_KEY"] });
  const agentd = await bench.agentd({ replies: { "agent.login": { rc: 0, body } } });
  const { code, stderr } = await bench.run([...login, "key"], { stdin: "a-key" });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("logged in to mine") as string });
  expect(readFileSync(join(state, "env", "mine:MY_KEY"), "utf8")).toBe("a-key");
  expect(agentd.asked).toMatchObject([
    ["agent.login", { agent: "mine", method: "key" }],
    ["agent.login", { agent: "mine", method: "key" }],
  ]);
});
