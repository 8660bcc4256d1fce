// SPDX-License-Identifier: MIT OR Apache-2.0
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loginSearchPath } from "./login-path.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agentd-login-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const bare = "/usr/local/bin:/usr/bin:/bin";

/** A shell whose files do `first`, and which then runs the command that it is given. */
function shell(first: string, last = 'eval "$2"'): string {
  const file = join(home, "shell");
  writeFileSync(file, `#!/bin/sh\necho "$1" > ${home}/ran\n${first}\n${last}\n`, { mode: 0o755 });
  return file;
}
const ask = (file: string, environment: Record<string, string> = { PATH: bare }, withinMs = 10_000) =>
  loginSearchPath(environment, { shell: file, withinMs });

test("a service manager's PATH is extended by the login shell's, which comes first", async () => {
  const noise = `echo welcome; echo warning >&2; export PATH="/home/ann/.nvm/bin:/usr/bin"`;
  expect(await ask(shell(noise))).toBe("/home/ann/.nvm/bin:/usr/bin:/usr/local/bin:/bin");
  expect(readFileSync(join(home, "ran"), "utf8")).toBe("-lc\n");
  expect(await ask(shell(noise), {})).toBe("/home/ann/.nvm/bin:/usr/bin");
});

test("the shell that the environment names is the real one of the user", async () => {
  const file = shell(`export PATH="/from/the/shell:$PATH"`);
  expect(await loginSearchPath({ PATH: bare, SHELL: file })).toBe(`/from/the/shell:${bare}`);
  expect(await loginSearchPath({ PATH: bare, SHELL: join(home, "none") })).toBe(bare);
});

test("a PATH that somebody chose is left as it is, and no shell is run", async () => {
  const path = `/opt/mine:${bare}`;
  expect(await ask(shell(`export PATH=/other`), { PATH: path })).toBe(path);
  expect(existsSync(join(home, "ran"))).toBe(false);
});

test("a shell that fails, prints too much or something else changes nothing", async () => {
  expect(await ask(shell("", "exit 3"))).toBe(bare);
  expect(await ask(shell("yes | head -c 1000000"))).toBe(bare);
  expect(await ask(shell("", 'echo "$2"'))).toBe(bare);
  expect(await ask("/bin/false")).toBe(bare);
});

test("a shell that does not end is ended in time, with what its files started", async () => {
  const slow = shell(`sleep 1000 & echo $! > ${home}/child; wait`);
  expect(await ask(slow, { PATH: bare }, 500)).toBe(bare);
  const child = Number(readFileSync(join(home, "child"), "utf8"));
  await expect.poll(() => isRunning(child)).toBe(false);
});

test("what the shell's files leave running does not keep it waiting", async () => {
  const file = shell(`sleep 1000 & echo $! > ${home}/child`, `PATH="/mine:$PATH"; export PATH; eval "$2"`);
  expect(await ask(file)).toBe(`/mine:${bare}`);
  const child = Number(readFileSync(join(home, "child"), "utf8"));
  await expect.poll(() => isRunning(child)).toBe(false);
});

/** A zombie, which nobody may have reaped in a container, does not run. */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.startsWith("Z") === false;
  } catch {
    return false;
  }
}
