// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findProgram, notFoundMessage } from "./find-program.ts";

let directory: string;
let searchPath: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-program-"));
  mkdirSync(join(directory, "one"));
  mkdirSync(join(directory, "two"));
  searchPath = `${directory}/one:${directory}/two`;
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test("a bare name is the first program of that name on PATH", () => {
  const file = program("two/agent");
  expect(findProgram("agent", searchPath)).toEqual({ status: "installed", file });
  const earlier = program("one/agent");
  expect(findProgram("agent", searchPath)).toEqual({ status: "installed", file: earlier });
});

test("a file that cannot be executed does not hide a program later on PATH", () => {
  mkdirSync(join(directory, "one", "agent"));
  const file = program("two/agent");
  expect(findProgram("agent", searchPath)).toEqual({ status: "installed", file });
});

test("a name that is not on PATH is missing, and PATH is reported beside the message", () => {
  const message = "agent was not found on agentd's PATH";
  expect(findProgram("agent", searchPath)).toEqual({ status: "missing", message, searched: searchPath });
  expect(notFoundMessage({ status: "missing", message, searched: searchPath })).toBe(`${message} (${searchPath})`);
  expect(findProgram("agent", undefined)).toMatchObject({ status: "missing" });
  expect(findProgram("agent", "")).toMatchObject({ status: "missing" });
});

test("an absolute path is used as it is, whatever PATH says", () => {
  const file = program("one/agent");
  expect(findProgram(file, undefined)).toEqual({ status: "installed", file });
  expect(findProgram(`${file}-not`, searchPath)).toEqual({ status: "missing", message: `${file}-not does not exist` });
  expect(findProgram(`${file}/below`, searchPath)).toMatchObject({ status: "missing" });
});

test("a link to a program is a program, a broken link is missing", () => {
  const file = program("two/real");
  symlinkSync(file, join(directory, "one", "agent"));
  expect(findProgram("agent", searchPath)).toEqual({ status: "installed", file: join(directory, "one", "agent") });
  rmSync(file);
  expect(findProgram("agent", searchPath)).toMatchObject({ status: "missing" });
});

test.each(["./agent", "one/agent", "../agent", ""])("the relative path %j is refused", (name) => {
  program("one/agent");
  expect(findProgram(name, searchPath)).toEqual({ status: "missing", message: expect.stringContaining("neither") });
});

test("parts of PATH that mean the working directory are skipped", () => {
  const file = program("agent-of-this-directory");
  const before = process.cwd();
  process.chdir(dirname(file));
  try {
    for (const path of ["", ":", ".", "./", ":one:"]) {
      expect(findProgram("agent-of-this-directory", path)).toMatchObject({ status: "missing" });
    }
  } finally {
    process.chdir(before);
  }
});

test("a directory, a file that is not executable and a FIFO get different messages", () => {
  const file = program("one/agent");
  chmodSync(file, 0o644);
  expect(findProgram("agent", searchPath)).toEqual({
    status: "not_executable",
    message: expect.stringContaining("chmod +x"),
  });
  rmSync(file);
  mkdirSync(file);
  expect(findProgram("agent", searchPath)).toEqual({ status: "not_executable", message: `${file} is a directory` });
  rmSync(file, { recursive: true });
  execFileSync("mkfifo", ["-m", "755", file]);
  expect(findProgram("agent", searchPath)).toEqual({ status: "not_executable", message: `${file} is not a program` });
});

test.each(["#!/usr/bin/env node\n", "#!/usr/bin/env -S node --no-warnings\n", "#! /usr/bin/env MODE=1 node\n"])(
  "a script that begins %j says that node is not on PATH",
  (head) => {
    const file = program("one/agent", head);
    expect(findProgram("agent", searchPath)).toEqual({
      status: "no_interpreter",
      message: `${file} needs node, which was not found on agentd's PATH`,
      searched: searchPath,
    });
    program("two/node");
    expect(findProgram("agent", searchPath)).toEqual({ status: "installed", file });
  },
);

test("a script whose interpreter does not exist says so", () => {
  const file = program("one/agent", "#!/opt/none/python9\n");
  expect(findProgram("agent", searchPath)).toEqual({
    status: "no_interpreter",
    message: `${file} needs /opt/none/python9, which does not exist`,
  });
});

test.each(["", "\u007fELF\u0002", "#!/bin/sh", "#!\n", "#!/usr/bin/env\n"])(
  "a program that begins %j is a program",
  (head) => {
    const file = program("one/agent", head);
    expect(findProgram("agent", searchPath)).toEqual({ status: "installed", file });
  },
);

function program(name: string, text = "#!/bin/sh\n"): string {
  const file = join(directory, name);
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}
