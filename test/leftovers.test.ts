// SPDX-License-Identifier: MIT OR Apache-2.0
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("./leftovers.ts", import.meta.url));

function run(script: string) {
  const args = ["--import", "tsx", program, "/bin/sh", "-c", script];
  return spawnSync(process.execPath, args, { encoding: "utf8", cwd: fileURLToPath(new URL("..", import.meta.url)) });
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
