// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, chownSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findReplacementRisk } from "./replaceable.ts";

const uid = process.getuid?.() ?? 0;
const gid = process.getgid?.() ?? 0;
const isRoot = uid === 0;
const nobody = 65_534;
let base: string;
let file: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "agentd-replaceable-"));
  mkdirSync(join(base, "a/b"), { recursive: true });
  file = join(base, "a/b/file");
  writeFileSync(file, "");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const why = (path = file): string | undefined => findReplacementRisk(path, { uid, gid });

test("nobody else can replace a file in the user's own directories, whether it exists or not", () => {
  expect(why()).toBeUndefined();
  expect(why(join(base, "a/no/such/file"))).toBeUndefined();
});

test.each(["a", "a/b"])("a directory %s that everybody can write is a risk, unless it is sticky", (name) => {
  chmodSync(join(base, name), 0o777);
  expect(why()).toBe(`${join(base, name)} is a directory where everybody can replace it; close it with: chmod o-w`);
  chmodSync(join(base, name), 0o1777);
  expect(why()).toBeUndefined();
});

test("a missing file is judged by the directories that exist", () => {
  chmodSync(join(base, "a"), 0o777);
  expect(why(join(base, "a/no/such/file"))).toContain("everybody can replace it");
});

test("both the path to a link and the path to its target are checked", () => {
  mkdirSync(join(base, "open"));
  writeFileSync(join(base, "open/target"), "");
  chmodSync(join(base, "open"), 0o777);
  symlinkSync("../../open/target", join(base, "a/b/link"));
  expect(why(join(base, "a/b/link"))).toContain(`${join(base, "open")} is a directory where everybody`);
  symlinkSync(join(base, "a/b/file"), join(base, "open/link"));
  expect(why(join(base, "open/link"))).toContain(`${join(base, "open")} is a directory where everybody`);
  symlinkSync("circle", join(base, "circle"));
  expect(why(join(base, "circle"))).toBeUndefined();
});

test.runIf(isRoot)("a directory or link of another user is a risk", () => {
  chownSync(join(base, "a"), nobody, nobody);
  expect(why()).toBe(`${join(base, "a")} belongs to user ${nobody}, who could replace it`);
  chownSync(join(base, "a"), 0, 0);
  chmodSync(join(base, "a"), 0o1777);
  symlinkSync("b/file", join(base, "a/link"));
  lchownSync(join(base, "a/link"), nobody, nobody);
  expect(why(join(base, "a/link"))).toContain("a link that belongs to another user");
});

test.runIf(isRoot)("a group may write only if it is the user's own or root's", () => {
  chownSync(join(base, "a"), 0, 4242);
  chmodSync(join(base, "a"), 0o775);
  expect(why()).toContain("where the group 4242 can replace it");
  expect(findReplacementRisk(file, { uid, gid: 4242 })).toBeUndefined();
  chownSync(join(base, "a"), 0, 0);
  expect(why()).toBeUndefined();
});
