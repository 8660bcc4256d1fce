// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { underConfigLock } from "./config-lock.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-lock-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const lock = () => ({ stateDirectory: join(directory, "state"), uid: process.getuid?.() ?? 0, waitMs: 0 });

test("a change waits for another one, and begins only after it", () => {
  let inner: unknown;
  const outer = underConfigLock(lock(), () => {
    inner = underConfigLock(lock(), () => "at the same time");
    return "first";
  });
  expect(outer).toEqual({ ok: true, value: "first" });
  expect(inner).toEqual({ ok: false, reason: "another program is changing the configuration; try again" });
  expect(underConfigLock(lock(), () => "second")).toEqual({ ok: true, value: "second" });
});

test("the lock is released by a change that fails", () => {
  const fail = () => {
    throw new Error("broken");
  };
  expect(() => underConfigLock(lock(), fail)).toThrow("broken");
  expect(underConfigLock(lock(), () => 1)).toEqual({ ok: true, value: 1 });
});

test("a state directory that cannot be used is named", () => {
  writeFileSync(join(directory, "state"), "");
  expect(underConfigLock(lock(), () => 1)).toMatchObject({
    ok: false,
    reason: expect.stringContaining(join(directory, "state")) as string,
  });
});
