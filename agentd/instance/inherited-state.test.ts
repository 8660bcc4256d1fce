// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { closeInheritedDescriptors } from "./inherited-state.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-inherited-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

// Runs the built file: a TypeScript loader would be a child that inherits the descriptors under test.
const inheritedState = JSON.stringify(join(import.meta.dirname, "../../dist/agentd/instance/inherited-state.js"));
const runModule = ["--input-type=module", "-e"];

test("a daemon changes to /, creates private files, and leaves the session that it was started from", async () => {
  const program = `
    import { resetInheritedState } from ${inheritedState};
    resetInheritedState(process);
    const { AGENTD_SESSION, AGENTD_CONFIG } = process.env;
    console.log(JSON.stringify({ cwd: process.cwd(), umask: process.umask(), AGENTD_SESSION, AGENTD_CONFIG }));
  `;
  const env = { ...process.env, AGENTD_SESSION: "log/abc", AGENTD_CONFIG: "/a.toml" };
  const { stdout } = await promisify(execFile)(process.execPath, [...runModule, program], { env });
  expect(JSON.parse(stdout)).toEqual({ cwd: "/", umask: 0o077, AGENTD_CONFIG: "/a.toml" });
});

// Only Linux tells which descriptors were inherited.
test.runIf(process.platform === "linux")(
  "a lock that its starter held is free though the daemon lives on",
  async () => {
    const lockFile = join(directory, "lock");
    // bash, since other shells know descriptors up to 9 only, and Node itself closes those. It takes a lock and execs the daemon without closing it.
    const script = `exec 30>"$LOCK"; flock -n 30 || exit 9; exec "$NODE_PROGRAM" "$@"`;
    const program = `
    import { closeInheritedDescriptors } from ${inheritedState};
    const wait = (line) => new Promise((resolve) => process.stdin.once("data", resolve).once("end", () => process.exit()));
    console.log("holding");
    await wait();
    console.log(JSON.stringify(closeInheritedDescriptors(process)));
    await wait();
  `;
    const child = spawn("bash", ["-c", script, "bash", ...runModule, program], {
      env: { ...process.env, LOCK: lockFile, NODE_PROGRAM: process.execPath },
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      expect(String((await once(child.stdout, "data", deadline()))[0])).toBe("holding\n");
      expect(await canLock(lockFile)).toBe(false);
      child.stdin.write("go on\n");
      const closed = JSON.parse(String((await once(child.stdout, "data", deadline()))[0])) as number[];
      expect(closed).toContain(30);
      expect(child.exitCode).toBeNull();
      expect(await canLock(lockFile)).toBe(true);
    } finally {
      const gone = once(child, "exit");
      child.stdin.end();
      await gone;
    }
  },
);

test.runIf(process.platform === "linux")(
  "a daemon that has shed its descriptors still reads, writes, waits and starts children",
  async () => {
    const program = `
    import { closeInheritedDescriptors } from ${inheritedState};
    import { execFile } from "node:child_process";
    import { readFile } from "node:fs/promises";
    const closed = closeInheritedDescriptors(process);
    await new Promise((resolve) => setTimeout(resolve, 1));
    const text = await readFile("/proc/self/stat", "utf8");
    execFile("sh", ["-c", "ls /proc/self/fd"], (error, stdout) => {
      console.log(JSON.stringify({ closed, read: text.length > 0, error, child: stdout.trim().split(/\\s+/u).map(Number) }));
    });
  `;
    const script = `exec 30</dev/null 200>/dev/null; exec "$NODE_PROGRAM" "$@"`;
    const child = spawn("bash", ["-c", script, "bash", ...runModule, program], {
      env: { ...process.env, NODE_PROGRAM: process.execPath },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said] = (await once(child.stdout, "data", deadline())) as [Buffer];
    // ls itself opens 3 to read the directory.
    expect(JSON.parse(String(said))).toEqual({
      closed: expect.arrayContaining([30, 200]),
      read: true,
      error: null,
      child: [0, 1, 2, 3],
    });
  },
);

test("on other systems than Linux nothing is closed", () => {
  expect(closeInheritedDescriptors({ platform: "darwin", env: {} })).toEqual([]);
});

function deadline() {
  return { signal: AbortSignal.timeout(20_000) };
}

async function canLock(file: string): Promise<boolean> {
  const child = spawn("flock", ["-n", file, "true"], { stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number];
  return code === 0;
}
