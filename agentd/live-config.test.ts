// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { descriptorWarning, openFilesMax } from "./live-config.ts";

test("one session more than the open files suffice for causes a warning with both numbers", () => {
  expect(descriptorWarning(320, 1024)).toBeUndefined();
  expect(descriptorWarning(321, 1024)).toContain("max_sessions is 321, but the system allows agentd 1024 open files");
  expect(descriptorWarning(321, 1024)).toContain("suffice for 320 sessions");
  expect(descriptorWarning(100_000, undefined)).toBeUndefined();
});

test("the system's limit is read if there is one", () => {
  expect(openFilesMax()).toBeGreaterThan(0);
  expect(openFilesMax("/nowhere")).toBeUndefined();
});
