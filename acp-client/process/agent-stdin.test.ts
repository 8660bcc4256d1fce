// SPDX-License-Identifier: MIT OR Apache-2.0
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { AgentStdin } from "./agent-stdin.ts";
import { eventually } from "./testing/trees.ts";

test("a broken pipe makes write return false, and never causes an unhandled error", async () => {
  const child = spawn("sh", ["-c", "exec <&-; echo closed; exec sleep 600"], { stdio: ["pipe", "pipe", "ignore"] });
  try {
    await once(child.stdout, "data");
    const stdin = new AgentStdin(child.stdin);
    stdin.write("x".repeat(1_000_000));
    await eventually("the pipe is known to be broken", () => !stdin.write("more\n") && stdin.writableBytes === 0);
    stdin.close();
    expect(stdin.write("more\n")).toBe(false);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

test("queued bytes still count after close until the kernel has taken them", async () => {
  const child = spawn("sh", ["-c", "cat >/dev/null"], { stdio: ["pipe", "ignore", "ignore"] });
  const stdin = new AgentStdin(child.stdin);
  const exited = once(child, "exit");
  const written: string[] = [];
  stdin.write("x".repeat(2_000_000), () => written.push(`text, ${stdin.writableBytes} left`));
  stdin.close();
  expect(stdin.writableBytes).toBeGreaterThan(0);
  expect(stdin.write("more\n", () => written.push("more"))).toBe(false);
  expect(written).toEqual([]);
  expect(await exited).toEqual([0, null]);
  expect(stdin.writableBytes).toBe(0);
  expect(written).toEqual(["text, 0 left"]);
});
