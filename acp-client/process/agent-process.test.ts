// SPDX-License-Identifier: MIT OR Apache-2.0
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { startAgentProcess } from "./start-agent-process.ts";
import { findByIdentity, type ProcessIdentity } from "./process-identity.ts";
import { eventually, isRunning, marked, newMarker, shell, start, table } from "./testing/trees.ts";

/** Bytes of stdout or stderr that the child writes through `head`. */
const manyBytes = 5_000_000;

test("the exit is reported after all output is read", async () => {
  await using agent = shell(`head -c ${manyBytes} /dev/zero; exit 3`);
  expect(await agent.exit).toEqual({ code: 3, signal: null });
  expect(agent.stdout()).toHaveLength(manyBytes);
});

test("a child that writes without end is read in small portions, so that it does not block the event loop", async () => {
  await using agent = shell(`exec head -c ${manyBytes} /dev/zero`);
  let most = 0;
  let before = 0;
  let over = false;
  const look = (): void => {
    const read = agent.stdout().length;
    most = Math.max(most, read - before);
    before = read;
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  await agent.exit;
  over = true;
  expect(agent.stdout()).toHaveLength(manyBytes);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(256 * 1024);
});

test("output before the first listener is added is kept for it", async () => {
  const lines: string[] = [];
  const agent = startAgentProcess({
    command: ["sh", "-c", "echo hi; echo ready >&2; exec cat"],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "" },
    marker: newMarker(),
    onStderr: (line) => lines.push(line),
  });
  await eventually("it is ready", () => lines.includes("ready"));
  let heard = "";
  agent.onStdout((chunk) => (heard += chunk.toString()));
  await eventually("the first words are heard", () => heard !== "");
  await agent.stop();
  expect(heard).toBe("hi\n");
});

test("the child gets the given environment and the marker and nothing else", async () => {
  await using agent = start(["env"], { env: { PATH: process.env["PATH"] ?? "", ONE: "1" } });
  await agent.exit;
  const names = agent
    .stdout()
    .trim()
    .split("\n")
    .map((line) => line.split("=")[0]);
  expect(new Set(names)).toEqual(new Set(["ONE", "PATH", "TREE_TEST"]));
});

test("the child leads a session and a process group of its own", async () => {
  await using agent = start(["cat"]);
  const pid = agent.agent.pid ?? 0;
  expect(table.read(pid)).toMatchObject({ session: pid, group: pid });
});

test("arguments are passed as they are, without a shell", async () => {
  await using agent = start(["printf", "%s|", "a b", "$HOME", "*", "", "é"]);
  await agent.exit;
  expect(agent.stdout()).toBe("a b|$HOME|*||é|");
});

test("writing a megabyte to a program that has exited is harmless, 200 times", { tags: "slow" }, async () => {
  for (let round = 0; round < 10; round += 1) {
    const runs = Array.from({ length: 20 }, () => start(["true"]));
    for (const { agent } of runs) for (let part = 0; part < 10; part += 1) agent.write("x".repeat(100_000));
    const exits = await Promise.all(runs.map(({ exit }) => exit));
    expect(exits).toEqual(runs.map(() => ({ code: 0, signal: null })));
    expect(runs.map(({ agent }) => agent.write("more\n"))).toEqual(runs.map(() => false));
  }
});

test("a child that closed its stdin accepts no more writes and keeps running", async () => {
  await using agent = shell("exec <&-; echo ready; exec sleep 600");
  await eventually("it is ready", () => agent.stdout() === "ready\n");
  await eventually(
    "the pipe is known to be gone",
    () => !agent.agent.write("line\n") && agent.agent.writableBytes === 0,
  );
  expect(isRunning(agent.agent.pid ?? 0)).toBe(true);
});

test("when a child never reads, write returns false and the queue is counted in bytes", async () => {
  await using agent = start(["sleep", "600"]);
  expect(agent.agent.write("é".repeat(500_000))).toBe(false);
  expect(agent.agent.writableBytes).toBe(1_000_000);
});

test("text written before stdin is closed still arrives", async () => {
  await using agent = start(["wc", "-c"]);
  agent.agent.write("x".repeat(manyBytes));
  agent.agent.closeStdin();
  expect(await agent.exit).toEqual({ code: 0, signal: null });
  expect(Number(agent.stdout())).toBe(manyBytes);
});

test("a paused stdout delivers nothing, and everything after it is resumed", async () => {
  await using agent = shell(`head -c ${manyBytes} /dev/zero; exec cat`);
  let seen = 0;
  agent.agent.onStdout((chunk) => {
    if (seen === 0) agent.agent.pause();
    seen += chunk.length;
  });
  await eventually("the first read came", () => seen > 0);
  const paused = seen;
  await start(["true"]).exit; // meanwhile other processes come and go
  expect(seen).toBe(paused);
  agent.agent.resume();
  await eventually("all of it came", () => seen === manyBytes);
});

test("the exit of a paused agent is reported after its last output", async () => {
  await using agent = shell("echo last words; exit 4");
  agent.agent.pause();
  expect(await agent.exit).toEqual({ code: 4, signal: null });
  expect(agent.stdout()).toBe("last words\n");
});

test("the output of a paused agent is read when it is stopped", async () => {
  const lines: string[] = [];
  const script = "head -c 100000 /dev/zero; echo written >&2; exec sleep 600";
  await using agent = shell(script, { onStderr: (line) => lines.push(line) });
  agent.agent.pause();
  await eventually("it wrote", () => lines.includes("written"));
  await agent.agent.stop({ stdinGraceMs: 0 });
  expect(agent.stdout()).toHaveLength(100_000);
});

test.each([
  ["at once", "exec 3<&0; cat <&3 3<&- & exit 0"],
  ["after a while", "read line; exec 3<&0; cat <&3 3<&- & exit 0"],
])("a wrapper that exits %s while its child keeps using the pipes is not an exit", async (_, script) => {
  await using agent = shell(script);
  agent.agent.write("a line\n");
  const identity = agent.agent.identity as ProcessIdentity;
  await eventually("the wrapper is gone", () => findByIdentity(identity) === undefined);
  let over = false;
  void agent.exit.then(() => (over = true));
  const goOnUntil = performance.now() + 500;
  const echoed = agent.stdout().length;
  for (let line = 1; performance.now() < goOnUntil; line += 1) {
    agent.agent.write("x\n");
    await eventually("the line comes back", () => agent.stdout().length >= echoed + 2 * line);
  }
  expect(over).toBe(false);
  agent.agent.closeStdin();
  expect(await agent.exit).toEqual({ code: 0, signal: null });
});

test("stop reaches an agent whose wrapper has exited", async () => {
  await using agent = shell("exec 3<&0; sh -c 'trap \"\" TERM; cat; sleep 600' <&3 3<&- & exit 0");
  await eventually("the wrapper is gone", () => !isRunning(agent.agent.pid ?? 0));
  await agent.agent.stop({ stdinGraceMs: 50, termGraceMs: 50 });
  expect(marked(agent.marker)).toEqual([]);
});

test.each([
  ["at once", "sleep 600 & echo $!; exit 7"],
  ["after a while", "read line; sleep 600 & echo $!; exit 7"],
])(
  "a tool that holds the stdout of an agent that exited %s does not keep it alive, and is ended too",
  async (_, script) => {
    await using agent = shell(script);
    agent.agent.write("a line\n");
    expect(await agent.exit).toEqual({ code: 7, signal: null });
    expect(isRunning(Number(agent.stdout()))).toBe(false);
  },
);

test("processes that a crashed agent left behind are ended automatically", async () => {
  await using agent = shell("setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $!; kill -9 $$");
  expect(await agent.exit).toEqual({ code: null, signal: "SIGKILL" });
  expect(isRunning(Number(agent.stdout()))).toBe(false);
});

test("an agent that closes its stdout and keeps running is ended, and its exit says why", async () => {
  await using agent = shell("exec >&-; exec sleep 600");
  expect(await agent.exit).toEqual({ code: null, signal: "SIGTERM", stdoutClosed: true });
});

test("the last output on stderr is available when the exit is reported", async () => {
  await using agent = shell(`head -c ${manyBytes} /dev/zero >&2; echo the end >&2; exit 1`);
  await agent.exit;
  expect(agent.agent.stderrTail().endsWith("the end\n")).toBe(true);
  expect(Buffer.byteLength(agent.agent.stderrTail())).toBe(64 * 1024);
});

test("secrets are redacted in the tail and in the lines of stderr", async () => {
  const lines: string[] = [];
  const redact = (text: string): string => text.replaceAll("hunter2", "***");
  await using agent = shell("printf 'password hun' >&2; printf 'ter2\\n' >&2", {
    redact,
    onStderr: (line) => lines.push(line),
  });
  await agent.exit;
  expect(lines).toEqual(["password ***"]);
  expect(agent.agent.stderrTail()).toBe("password ***\n");
});

test("a listener added after the end gets the same exit", async () => {
  await using agent = shell("exit 5");
  const exit = await agent.exit;
  expect(await new Promise((resolve) => agent.agent.onExit(resolve))).toBe(exit);
  expect(await agent.agent.stop()).toBe(exit);
});

test("fifty starts and stops of a three-deep tree leave no process and no descriptor", { tags: "slow" }, async () => {
  await start(["true"]).exit; // what the first spawn opens for good
  const descriptors = readdirSync("/proc/self/fd").length;
  for (let round = 0; round < 50; round += 1) {
    const one = shell("sh -c 'sh -c \"sleep 600; :\" & setsid sleep 600 & echo up; cat'; :");
    await eventually("it is up", () => one.stdout() === "up\n");
    await one.agent.stop();
    expect(marked(one.marker)).toEqual([]);
  }
  expect(readdirSync("/proc/self/fd").length).toBe(descriptors);
});
