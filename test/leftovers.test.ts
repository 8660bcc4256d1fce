// SPDX-License-Identifier: MIT OR Apache-2.0
// @module-tag slow
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const program = fileURLToPath(new URL("./leftovers.ts", import.meta.url));

const root = fileURLToPath(new URL("..", import.meta.url));
let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "agentd-left-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function leftovers(args: readonly string[], temporary = scratch) {
  const env = { ...process.env, TMPDIR: temporary };
  return spawnSync(process.execPath, ["--import", "tsx", program, ...args], { encoding: "utf8", cwd: root, env });
}

function run(script: string) {
  return leftovers(["/bin/sh", "-c", script]);
}

test("a command that leaves nothing has its own exit code", () => {
  expect(run('mkdir "$TMPDIR/a" && rmdir "$TMPDIR/a"')).toMatchObject({ status: 0, stderr: "" });
  expect(run("exit 7")).toMatchObject({ status: 7, stderr: "" });
});

test("a file, a process without an environment and a port that are left are named, and the run fails", () => {
  const listen = 'require("net").createServer().listen(0, "127.0.0.1")';
  const { status, stderr } = run(
    [
      'touch "$TMPDIR/forgotten"',
      '(cd "$TMPDIR" && env -i /bin/sleep 600) >/dev/null 2>&1 &',
      `'${process.execPath}' -e '${listen}' >/dev/null 2>&1 &`,
    ].join("\n"),
  );
  const processes = [...stderr.matchAll(/left behind: process (\d+): (.*)/g)];
  const directory = /look into (\S+)/.exec(stderr)?.[1];
  for (const [, pid] of processes) process.kill(Number(pid), "SIGKILL");
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  expect(status).toBe(1);
  expect(stderr).toMatch(/left behind: file \S+\/forgotten/);
  expect(processes.map(([, , command]) => command)).toEqual(
    expect.arrayContaining(["/bin/sleep 600", expect.stringContaining("createServer")]),
  );
  expect(stderr).toMatch(/left behind: TCP port \d+/);
});

test("what was there when it was noted is not left behind, and what came after is", () => {
  const temporary = join(scratch, "temporary");
  const session = join(temporary, "session");
  mkdirSync(session, { recursive: true });
  const note = join(scratch, "before.json");
  const sleep = () => spawn("/bin/sleep", ["600"], { cwd: session, env: {}, stdio: "ignore" });
  const before = sleep();
  const after: ReturnType<typeof sleep>[] = [];
  try {
    expect(leftovers(["--note", note], temporary)).toMatchObject({ status: 0, stderr: "" });
    expect(leftovers(["--compare", note], temporary)).toMatchObject({ status: 0, stderr: "" });
    after.push(sleep());
    writeFileSync(join(temporary, "new"), "");
    const { status, stderr } = leftovers(["--compare", note], temporary);
    expect(status).toBe(1);
    expect(stderr).toContain(`left behind: process ${after[0]?.pid}: /bin/sleep 600`);
    expect(stderr).toContain(`left behind: file ${join(temporary, "new")}`);
    expect(stderr).not.toContain(`process ${before.pid}:`);
  } finally {
    for (const child of [before, ...after]) child.kill("SIGKILL");
  }
});
