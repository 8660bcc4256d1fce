// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDirectories } from "./make-directories.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "make-directories-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test("missing directories are made with mode 0700, and existing ones are left unchanged", () => {
  mkdirSync(join(base, "there"), { mode: 0o755 });
  symlinkSync("there", join(base, "link"));
  makeDirectories(join(base, "link", "a", "b"));
  makeDirectories(join(base, "link", "a", "b"));
  makeDirectories(join(base, "link"));
  const modes = ["there", "there/a", "there/a/b"].map((name) => statSync(join(base, name)).mode & 0o777);
  expect(modes).toEqual([0o755, 0o700, 0o700]);
});

test("a file in the way is an error, at the end of the path or above it", () => {
  writeFileSync(join(base, "file"), "");
  expect(() => makeDirectories(join(base, "file"))).toThrow("EEXIST");
  expect(() => makeDirectories(join(base, "file", "below", "more"))).toThrow("ENOTDIR");
  symlinkSync("nowhere", join(base, "dangling"));
  expect(() => makeDirectories(join(base, "dangling"))).toThrow("EEXIST");
  expect(() => makeDirectories(join(base, "dangling", "below"))).toThrow("EEXIST");
});

test.runIf(process.platform === "linux")(
  "a path where the kernel permits no directory is an error, and no endless loop",
  () => {
    expect(() => makeDirectories("/proc/nowhere/below")).toThrow("ENOENT");
  },
);
