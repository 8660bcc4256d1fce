// SPDX-License-Identifier: MIT OR Apache-2.0
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { compileLessEagerly } from "./compiling.ts";

function flagsFor(v8Version: string): string[] {
  const flags: string[] = [];
  compileLessEagerly(v8Version, (flag) => flags.push(flag));
  return flags;
}

test("the compiler of Node.js 20 is told to wait, and any other is left alone", () => {
  expect(flagsFor("11.3.244.8-node.38")).toHaveLength(2);
  expect(flagsFor("12.4.254.21-node.33")).toEqual([]);
});

test("this V8 knows the flags, or gets none", () => {
  const script = `for (const flag of ${JSON.stringify(flagsFor(process.versions.v8))}) require("v8").setFlagsFromString(flag);`;
  const { status, stderr, stdout } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect([status, stdout, stderr]).toEqual([0, "", ""]);
});
