// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
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

test("a program of a login is found on the PATH, but not in the directory in which mix is called", async () => {
  await answering({ done: false, run: { command: ["login-program", "it's"], env: {} } });
  const { code, stderr } = await bench.run([...login, "tty"], { tty: true, env: { PATH: `.:${bench.directory}` } });
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: "AGENT_UNAVAILABLE: login-program was not found on your PATH\n",
  });
});

test("SIGTERM ends the login program too", async () => {
  const program = `process.stdout.write(""); setInterval(() => {}, 1e6)`;
  await answering({ done: false, run: { command: [process.execPath, "-e", program], env: {} } });
  const run = bench.start([...login, "tty"], { tty: true });
  await run.shows("running:");
  run.interrupt("SIGTERM");
  const { code, stderr } = await run.ended;
  expect(code).toBe(130);
  expect(stderr).toContain("the login of mine was stopped; again: mix agent agents login mine");
});
