// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { start } from "./testing/trees.ts";

const directory = mkdtempSync(join(tmpdir(), "spawn-failure-"));
const script = (name: string, text: string, mode: number): string => {
  const path = join(directory, name);
  writeFileSync(path, text, { mode });
  return path;
};
afterAll(() => rmSync(directory, { recursive: true }));

const inner = join(directory, "a-directory");
mkdirSync(inner);
const plain = script("plain.txt", "not a program\n", 0o644);
const noInterpreter = script("no-interpreter", "#!/nonexistent/node\n", 0o755);

test.each([
  ["a missing path", ["/nonexistent/agent"], {}, "ENOENT", "there is no file /nonexistent/agent"],
  ["a missing name", ["no-such-agent"], {}, "ENOENT", "there is no such program in PATH"],
  ["a directory", [inner], {}, "EACCES", "is a directory"],
  ["a file without permission", [plain], {}, "EACCES", "is not executable"],
  [
    "a name that PATH leads to a file without permission",
    ["plain.txt"],
    { env: { PATH: directory } },
    "EACCES",
    "is not executable",
  ],
  ["a missing interpreter", [noInterpreter], {}, "ENOENT", "its interpreter /nonexistent/node"],
  ["a missing working directory", ["true"], { cwd: join(directory, "gone") }, "ENOENT", "working directory"],
  ["a working directory that is a file", ["true"], { cwd: plain }, "ENOTDIR", "is not a directory"],
  ["an argument with a NUL", ["true", "a\0b"], {}, "UNKNOWN", "null bytes"],
] as const)("%s is an exit with an explanation, not an exception", async (_, command, options, code, message) => {
  const { agent, exit } = start([...command], options);
  const told = await exit;
  expect(told).toMatchObject({ code: null, signal: null, spawnError: { code } });
  expect(told.spawnError?.message).toContain(message);
  expect(agent.pid).toBeUndefined();
  expect(agent.write("anything\n")).toBe(false);
  expect(await agent.stop()).toEqual(told);
});

test("a script whose interpreter env cannot find exits with 127 and says so on stderr", async () => {
  const { agent, exit } = start([script("env-script", "#!/usr/bin/env no-such-node\n", 0o755)]);
  expect(await exit).toEqual({ code: 127, signal: null });
  expect(agent.stderrTail()).toContain("no-such-node");
});
