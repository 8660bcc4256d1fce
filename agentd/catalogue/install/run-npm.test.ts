// SPDX-License-Identifier: MIT OR Apache-2.0
import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installPackage, type NpmRun } from "./run-npm.ts";

let directory: string;
let aborted: AbortController;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-npm-"));
  aborted = new AbortController();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** It starts a program that keeps its stderr open and ignores SIGTERM, and says when. */
function npmThatStarts(then: string): NpmRun {
  const npm = join(directory, "npm");
  const program = `process.on("SIGTERM", () => {}); process.stdout.write("ready"); setInterval(() => {}, 1e6)`;
  writeFileSync(
    npm,
    `#!${process.execPath}
const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(program)}], { stdio: ["ignore", "pipe", "inherit"] });
child.stdout.once("data", () => {
  require("node:fs").writeFileSync(${JSON.stringify(join(directory, "started"))}, "");
  ${then}
});`,
    { mode: 0o755 },
  );
  return {
    npm,
    environment: process.env,
    searchPath: "",
    nodeProgram: process.execPath,
    into: directory,
    wanted: { name: "x", version: "1.0.0" },
    signal: aborted.signal,
    onPackage: () => undefined,
  };
}

function started(): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(directory, () => {
      if (!existsSync(join(directory, "started"))) return;
      watcher.close();
      resolve();
    });
  });
}

// The installation ends once nobody has npm's stderr, so it would not if the program were left.
test("what npm has started ends with it", { tags: "slow" }, async () => {
  const begun = started().then(() => aborted.abort());
  const [ended] = await Promise.allSettled([installPackage(npmThatStarts("process.exit(1);")), begun]);
  expect(ended).toMatchObject({ status: "rejected", reason: { code: "CANCELLED" } });
});

test("npm that says nothing for long is stopped", { tags: "slow" }, async () => {
  const [ended] = await Promise.allSettled([installPackage({ ...npmThatStarts(""), silenceMs: 1_000 })]);
  const message = expect.stringContaining("x@1.0.0: npm said nothing for") as string;
  expect(ended).toMatchObject({ status: "rejected", reason: { code: "INSTALL_NETWORK", message } });
});
