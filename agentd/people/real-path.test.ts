// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRealPath } from "./policy-evidence.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agentd-place-")));
  mkdirSync(join(root, "inside"));
  mkdirSync(join(root, "outside"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a link is followed, whether the file behind it exists or not", () => {
  symlinkSync(join(root, "outside"), join(root, "inside", "link"));
  expect(findRealPath(join(root, "inside", "link"))).toBe(join(root, "outside"));
  expect(findRealPath(join(root, "inside", "link", "new", "file"))).toBe(join(root, "outside", "new", "file"));
});

test("a missing file is resolved by its nearest existing parent", () => {
  expect(findRealPath(join(root, "inside", "a", "b.txt"))).toBe(join(root, "inside", "a", "b.txt"));
  expect(findRealPath(join(root, "inside") + "//./c")).toBe(join(root, "inside", "c"));
});

test("a broken link is not treated as a missing file", () => {
  symlinkSync(join(root, "outside", "missing"), join(root, "inside", "dangling"));
  expect(findRealPath(join(root, "inside", "dangling"))).toBeUndefined();
  expect(findRealPath(join(root, "inside", "dangling", "more"))).toBeUndefined();
});

test("a path that cannot be resolved is undefined", () => {
  writeFileSync(join(root, "inside", "file"), "");
  symlinkSync("loop", join(root, "inside", "loop"));
  const odd = [
    "",
    "inside/a",
    "./a",
    "~/a",
    `${root}/inside/../outside`,
    `${root}/..`,
    `${root}/a\0b`,
    "/proc/self/cwd/a",
  ];
  const unclear = [
    ...odd,
    "/dev/fd/3",
    `${root}/inside/file/below`,
    `${root}/inside/loop/x`,
    `${root}${"/x".repeat(100)}`,
  ];
  expect(unclear.map(findRealPath)).toEqual(unclear.map(() => undefined));
});
