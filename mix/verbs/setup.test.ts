// SPDX-License-Identifier: MIT OR Apache-2.0
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
  writeFileSync(join(bench.directory, "no-agentd.mjs"), agentdProgram);
});
afterEach(() => bench.close());

/** In place of agentd's program: has one agent, which is not installed until somebody asks for it. */
const agentdProgram = `
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
const mark = join(import.meta.dirname, "installed");
const print = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
if (process.argv[2] === "--install") {
  writeFileSync(mark, "");
  const installed = { version: "1.2.3", directory: "/d", was_there: false, file: "/d/bin", from: "agentd" };
  print({ event: "done", agent: "codex", installed });
} else {
  const installed = existsSync(mark);
  const install = "mix agent agents install codex";
  const keyed = existsSync(join(import.meta.dirname, "keyed"));
  const keys = { version: "1.2.3", login_stored: false, key_variables: ["OPENAI_API_KEY", "CODEX_API_KEY"] };
  const more = keyed ? keys : installed ? { version: "1.2.3", login_stored: true } : { install };
  const codex = { agent: "codex", title: "Codex", built_in: true, installed: installed || keyed, command: ["codex-acp"], ...more };
  print({ state: { directory: import.meta.dirname }, agents: [codex] });
}
`;

test("after the installation the setup goes on with that agent, and a question that is long is seen as a whole", async () => {
  const running = bench.start(["agent", "setup"], { tty: true });
  await running.shows("1 to 1, or Enter for none:");
  running.type("1\n");
  await running.shows("Install codex with your npm");
  expect(existsSync(join(bench.directory, "installed"))).toBe(false);
  running.type("y\n");
  await running.shows("Try codex in ");
  await running.shows("\r[y/N] ");
  running.type("n\n");
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  expect(stderr.split("Which agent do you want to use?")).toHaveLength(2);
  expect(stderr).toContain("from now on: mix agent start codex");
});

test("somebody who chooses no agent is told how to try it without one", async () => {
  const running = bench.start(["agent", "setup"], { tty: true });
  await running.shows("or Enter for none:");
  running.type("\n");
  const { stderr } = await running.ended;
  expect(stderr).toContain('to try it without an agent of your own: mix agent start demo "hello"');
});

test("how to log in is one question, with each key once", async () => {
  writeFileSync(join(bench.directory, "keyed"), "");
  const methods = [
    { method: "browser", name: "Log in with a browser", type: "agent" },
    { method: "key", name: "API key", type: "env_var", variables: ["OPENAI_API_KEY"] },
  ];
  const agentd = await bench.agentd({
    replies: { "agent.login": { rc: 0, body: JSON.stringify({ agent: "codex", done: false, methods }) } },
  });
  const running = bench.start(["agent", "setup"], { tty: true });
  await running.shows("1 to 1, or Enter for none:");
  running.type("1\n");
  await running.shows("1 to 4, or Enter for none:");
  running.type("3\n");
  await running.shows("CODEX_API_KEY for codex (not shown):");
  running.type("sk-canary\r");
  await running.shows("Try codex in ");
  await running.shows("\r[y/N] ");
  running.type("n\n");
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  expect(stderr).toContain("  1  Log in with a browser");
  expect(stderr).toContain("  2  API key (a key)");
  expect(stderr).toContain("  3  give it a key: CODEX_API_KEY");
  expect(stderr).toContain("  4  go on without");
  expect(agentd.asked).toEqual([["agent.login", expect.objectContaining({ agent: "codex" })]]);
  expect(readFileSync(join(bench.directory, "env", "codex:CODEX_API_KEY"), "utf8")).toBe("sk-canary");
});
