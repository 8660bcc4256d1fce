// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { settlesWithin } from "../../../acp-client/process/stop-ladder.ts";
import { eventually, failureOf, isRunning, openTerminal, shell } from "./testing/terminals.ts";

const home = mkdtempSync(join(tmpdir(), "terminal-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each([
  ["exit 0", { exitCode: 0, signal: null }],
  ["exit 3", { exitCode: 3, signal: null }],
  ["kill -KILL $$", { exitCode: null, signal: "SIGKILL" }],
  ["kill -TERM $$", { exitCode: null, signal: "SIGTERM" }],
])("the exit of %s is reported once, with all of its output", async (script, exit) => {
  await using open = await shell(`echo before; echo warned >&2; ${script}`);
  expect(await open.exit).toEqual(exit);
  const { output, ...rest } = open.terminal.output();
  expect(output.split("\n").toSorted()).toEqual(["", "before", "warned"]);
  expect(rest).toEqual({ truncated: false, exit });
  await open.terminal.release();
  expect(open.exits).toEqual([exit]);
});

test("a running command's output can be read, without an exit", async () => {
  await using open = await shell("echo first; sleep 600");
  await open.says("first");
  expect(open.terminal.output()).toEqual({ output: "first\n", truncated: false });
  expect(open.exits).toEqual([]);
});

test("a failed start says which part is missing", async () => {
  const plain = join(home, "plain");
  writeFileSync(plain, "");
  const lost = join(home, "lost");
  writeFileSync(lost, "#!/no/such/interpreter\n");
  chmodSync(lost, 0o755);
  const gone = join(home, "gone");
  expect(await failureOf({ command: "no-such-program" })).toMatchObject({
    code: "ENOENT",
    message: expect.stringContaining("no such program in PATH") as string,
  });
  expect((await failureOf({ command: "/no/such/file" })).message).toContain("there is no file /no/such/file");
  expect(await failureOf({ command: plain })).toMatchObject({
    code: "EACCES",
    message: expect.stringContaining("is not executable") as string,
  });
  expect((await failureOf({ command: lost })).message).toContain("its interpreter /no/such/interpreter");
  expect((await failureOf({ command: "true", cwd: gone })).message).toContain(`directory ${gone} does not exist`);
  expect((await failureOf({ command: "true && true", cwd: gone })).message).toContain(gone);
  expect((await failureOf({ command: "echo", args: ["a\0b"] })).message).toContain("null bytes");
  expect((await failureOf({ command: "" })).message).toContain("could not be started");
});

test("a command has /dev/null as stdin, no controlling terminal, and a session of its own", async () => {
  await using open = await shell(
    'cat; readlink /proc/self/fd/0; (: </dev/tty) 2>/dev/null || echo none; ps -o sid= -p $$; echo "$$"',
  );
  expect(await open.exit).toMatchObject({ exitCode: 0 });
  const [stdin, tty, session, pid] = open.terminal.output().output.split("\n");
  expect([stdin, tty]).toEqual(["/dev/null", "none"]);
  expect(session?.trim()).toBe(pid);
  expect(open.terminal.identity?.pid).toBe(Number(pid));
});

const wholeTree = `
  sleep 600 & echo $!
  setsid sleep 600 & echo $!
  (setsid sleep 600 </dev/null >/dev/null 2>&1 & echo $!)
  setsid sh -c 'trap "" TERM; setsid sleep 600 & echo $!; while :; do sleep 600; done' & echo $!
  sleep 600`;

test.each(["kill", "release"] as const)("%s ends every process that the command started", async (end) => {
  await using open = await shell(wholeTree, { termGraceMs: 300 });
  const told = (): string[] => open.terminal.output().output.match(/\d+\n/g) ?? [];
  await eventually("all five are there", () => told().length === 5);
  const pids = told().map(Number);
  expect(pids.filter(isRunning)).toEqual(pids);
  await open.terminal[end]();
  expect(pids.filter(isRunning)).toEqual([]);
  expect(open.living()).toEqual([]);
  expect(open.exits).toEqual([{ exitCode: null, signal: "SIGTERM" }]);
});

test("a background process of a command gets SIGTERM before SIGKILL", async () => {
  await using open = await shell(`sh -c 'trap "echo asked; exit" TERM; echo up; while :; do sleep 0.05; done' &`);
  await open.exit;
  await open.says("up");
  await open.terminal.kill();
  // Its last output may still be in the pipe.
  await open.says("asked");
  expect(open.living()).toEqual([]);
});

test("a command that ignores SIGTERM is killed after the grace period", async () => {
  await using open = await shell(`trap "" TERM; echo up; while :; do sleep 600; done`, {
    termGraceMs: 100,
  });
  await open.says("up");
  await open.terminal.kill();
  expect(open.exits).toEqual([{ exitCode: null, signal: "SIGKILL" }]);
});

test("another command, with a marker of its own, is not ended with this one", async () => {
  await using one = await shell("sleep 600");
  await using other = await shell("echo up; sleep 600");
  await other.says("up");
  await one.terminal.release();
  expect(other.living().length).toBeGreaterThan(0);
  expect(other.exits).toEqual([]);
});

test("a kill keeps the output, and may be repeated: at the same time, after the exit and after the release", async () => {
  await using open = await shell("echo said; sleep 600");
  await open.says("said");
  await Promise.all([open.terminal.kill(), open.terminal.kill()]);
  await open.terminal.kill();
  expect(open.terminal.output()).toEqual({
    output: "said\n",
    truncated: false,
    exit: { exitCode: null, signal: "SIGTERM" },
  });
  await open.terminal.release();
  await open.terminal.kill();
  expect(open.exits).toHaveLength(1);
});

test("a release frees the output, may come twice, and reports the exit first", async () => {
  await using open = await shell("echo said; sleep 600");
  await open.says("said");
  const first = open.terminal.release();
  expect(open.terminal.release()).toBe(first);
  await first;
  expect(open.exits).toHaveLength(1);
  expect(open.terminal.output()).toMatchObject({ output: "", truncated: true });
});

test("a release right after the start leaves no process behind", async () => {
  await using open = await shell("setsid sleep 600 & sleep 600");
  await open.terminal.release();
  expect(open.living()).toEqual([]);
  expect(open.exits).toHaveLength(1);
});

test("a kill while output flows ends the command, and the tail has whole characters", async () => {
  await using open = await shell("yes €😀", { tailBytesMax: 1001 });
  await eventually("it is long", () => open.terminal.output().truncated);
  await open.terminal.kill();
  expect(open.living()).toEqual([]);
  const { output } = open.terminal.output();
  expect(output).toMatch(/^😀?\n?(€😀\n)+€?😀?\n?$/u);
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(1001);
});

test("a background process that goes on writing delays the exit for a moment only", async () => {
  await using open = await shell("yes & echo done");
  expect(await settlesWithin(open.exit, 20_000)).toBe(true);
  expect(open.exits).toEqual([{ exitCode: 0, signal: null }]);
});

test("the last line of a command is read even after megabytes beyond the limit", async () => {
  await using open = await shell("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last words");
  await open.exit;
  const { output, truncated } = open.terminal.output();
  expect(truncated).toBe(true);
  expect(output.endsWith("xxx\nlast words\n")).toBe(true);
  expect(Buffer.byteLength(output)).toBe(1024 * 1024);
});

test("thirty terminals at once each have their own output and leave no process behind", async () => {
  const numbers = Array.from({ length: 30 }, (_, index) => index);
  const all = await Promise.all(numbers.map((index) => shell(`echo number ${index}.; sleep 600`)));
  try {
    await Promise.all(all.map((one, index) => one.says(`number ${index}.`)));
  } finally {
    await Promise.all(all.map(({ terminal }) => terminal.release()));
  }
  expect(all.flatMap((one) => one.living())).toEqual([]);
  expect(all.flatMap(({ exits }) => exits)).toHaveLength(30);
}, 120_000);

test("a command's bare name is looked up in the PATH of its own environment", async () => {
  const tool = join(home, "only-here");
  writeFileSync(tool, "#!/bin/sh\necho found\n");
  chmodSync(tool, 0o755);
  await using found = await openTerminal({ command: "only-here", env: { PATH: `${home}:/usr/bin:/bin` } });
  await found.exit;
  expect(found.terminal.output().output).toBe("found\n");
});
