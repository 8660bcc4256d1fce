// SPDX-License-Identifier: MIT OR Apache-2.0
// How an agent as a child process ends, and where what it prints goes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../bus-client/testing/temporary-directory.ts";
import { agentCommand, openedClient, prompt, request } from "./testing/raw-client.ts";

const stopReason = (line: string): unknown =>
  (JSON.parse(line) as { result?: { stopReason: string } }).result?.stopReason;

test("what a library prints goes to stderr", async () => {
  await using client = await openedClient();
  client.send(prompt(1, "noise"));
  await client.answer("1");
  expect(client.lines.some((line) => line.includes("noise of"))).toBe(false);
  expect(client.errors()).toMatch(/^noise of console.log\nnoise of stdout\n.*noise of a warning\n/u);
});

test("with a place for what is printed, nothing goes to stderr", async () => {
  const file = join(temporaryDirectory(), "words.log");
  await using client = await openedClient({}, { PRINT_TO: file });
  client.send(prompt(1, "noise"), prompt(2, "fail"));
  for (const id of ["1", "2"]) await client.answer(id);
  expect(await client.end()).toBe(0);
  expect(client.errors()).toBe("");
  const words = readFileSync(file, "utf8");
  for (const noise of ["console.log", "stdout", "a warning"]) expect(words).toContain(`noise of ${noise}`);
  expect(words).toContain("it broke");
});

test("the end of the input ends turns as cancelled, and everything that was read is answered", async () => {
  await using client = await openedClient();
  client.send(prompt(1, "wait"), prompt(2, "permission"), request(3, "session/list"));
  client.write(JSON.stringify(request(4, "nope"))); // without a newline
  expect(await client.end()).toBe(0);
  for (const id of ["1", "2"]) expect(stopReason(await client.answer(id))).toBe("cancelled");
  expect(await client.answer("3")).toBeDefined();
  expect(await client.answer("4")).toContain("-32601");
});

test("a client that closes its end of stdout ends the agent quietly", async () => {
  await using client = await openedClient();
  client.child.stdout.destroy();
  client.send(prompt(1, "flood 100"));
  await once(client.child, "exit");
  expect(client.child.exitCode).toBe(0);
  expect(client.errors()).toBe("");
});

test.each(["SIGTERM", "SIGHUP"] as const)(
  "%s ends an agent that says so as the end of the input does",
  async (signal) => {
    await using client = await openedClient();
    client.send(prompt(1, "wait"));
    await client.line((line) => line.includes("waiting"));
    client.child.kill(signal);
    await once(client.child, "exit");
    expect(client.child.exitCode).toBe(0);
    expect(stopReason(await client.answer("1"))).toBe("cancelled");
    expect(client.lines.findIndex((line) => line.includes('"ended"'))).toBeGreaterThan(0);
  },
);

// Reading the memory of a process at its address 0 fails with EIO.
test.skipIf(process.platform !== "linux")(
  "an input that cannot be read is told on stderr, and the exit code is 1",
  async () => {
    const [node, ...args] = agentCommand;
    const unreadable = openSync("/proc/self/mem", "r");
    const child = spawn(node, args, {
      stdio: [unreadable, "pipe", "pipe"],
      env: { ...process.env, PRINT_TO: "/dev/null" },
    });
    closeSync(unreadable);
    let errors = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
    await once(child, "close");
    expect(child.exitCode).toBe(1);
    expect(errors).toMatch(/^stdin cannot be read: EIO.*\n$/u);
  },
);
