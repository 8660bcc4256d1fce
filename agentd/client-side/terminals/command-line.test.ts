// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { commandLine } from "./terminal.ts";

const home = mkdtempSync(join(tmpdir(), "command-line-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
mkdirSync(join(home, "bin"));
mkdirSync(join(home, "a directory"));
for (const name of ["a b", "bin/c d", "tool"]) writeFileSync(join(home, name), "#!/bin/sh\n");
for (const name of ["a b", "bin/c d"]) chmodSync(join(home, name), 0o755);

const lineOf = (command: string, args: readonly string[] = []): readonly string[] =>
  commandLine({ command, args, cwd: home, env: { PATH: `${join(home, "bin")}:/usr/bin:/bin` } });

test.each(["git", "/usr/bin/git", "no-such-program", "./a b", join(home, "a b"), "c d"])(
  "%s alone is a program",
  (command) => {
    expect(lineOf(command)).toEqual([command]);
  },
);

test.each([
  "git status && echo hi",
  "ls -l",
  "echo $HOME",
  "FOO=1",
  "~/bin/tool",
  "./a b c",
  "a b",
  "a|b",
  "no such program",
  "./a directory",
  "echo one\necho two",
])("%s alone is a shell line", (command) => {
  expect(lineOf(command)).toEqual(["/bin/sh", "-c", command]);
});

test("a command with arguments is never a shell line, and its arguments stay as they are", () => {
  expect(lineOf("git status && echo", ["$HOME", ""])).toEqual(["git status && echo", "$HOME", ""]);
});

test("a file that cannot be executed is not a shell line either, so that the failure names it", () => {
  writeFileSync(join(home, "not yet"), "");
  expect(lineOf("./not yet")).toEqual(["./not yet"]);
});
