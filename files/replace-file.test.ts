// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFile } from "./replace-file.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "replace-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

test("the file has the new text, is the user's alone, and nothing else is left", () => {
  const file = join(directory, "file");
  for (const text of ["old", "new"]) replaceFile(file, text);
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["new", 0o600]);
  expect(readdirSync(directory)).toEqual(["file"]);
});

test("what cannot be replaced stays, and nothing else is left", () => {
  mkdirSync(join(directory, "file", "in it"), { recursive: true });
  expect(() => replaceFile(join(directory, "file"), "new")).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(directory)).toEqual(["file"]);
});
