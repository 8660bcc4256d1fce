// SPDX-License-Identifier: MIT OR Apache-2.0
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseStat, procSource, psSource } from "./process-source.ts";
import { shell, start } from "./testing/trees.ts";

test("a stat line is parsed even if the name has spaces, parentheses and a false state", () => {
  const fields = Array.from({ length: 30 }, (_, index) => String(index + 10)).join(" ");
  expect(parseStat(`42 (a) Z 1 (b) c) S 7 8 9 ${fields}`)).toEqual({
    pid: 42,
    zombie: false,
    parent: 7,
    group: 8,
    session: 9,
    startTime: "25",
    environment: "",
  });
});

test("an invalid stat line is undefined", () => {
  for (const line of ["", "12", "12 (sh", "12 (sh) S 1", ") ( "]) expect(parseStat(line)).toBeUndefined();
});

test("a program named like a stat line is read correctly", async () => {
  const directory = mkdtempSync(join(tmpdir(), "process-table-"));
  try {
    const program = join(directory, "x) Z 1 1 (y");
    copyFileSync("/bin/sleep", program);
    await using sleeper = start([program, "600"]);
    const row = [...procSource().list()].find(({ pid }) => pid === sleeper.agent.pid);
    expect(row).toMatchObject({
      parent: process.pid,
      group: sleeper.agent.pid,
      session: sleeper.agent.pid,
      zombie: false,
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("a variable is found by its whole name, with its whole value", async () => {
  await using sleeper = start(["sleep", "600"], {
    marker: { name: "MARK", value: "abc" },
    env: { PATH: "/usr/bin:/bin" },
  });
  const pid = sleeper.agent.pid ?? 0;
  const values = (name: string): readonly string[] => procSource().environmentValues(pid, name);
  expect(values("MARK")).toEqual(["abc"]);
  expect(values("ARK")).toEqual([]);
  expect(values("MAR")).toEqual([]);
  expect(values("PATH")).toEqual(["/usr/bin:/bin"]);
});

test("ps and /proc report the same parents and groups", async () => {
  await using tree = shell("sleep 600");
  const pid = tree.agent.pid ?? 0;
  const fromPs = psSource().read(pid);
  expect(fromPs).toMatchObject({ pid, parent: process.pid, group: pid, zombie: false });
  expect([...psSource().list()].find((row) => row.pid === pid)).toEqual(fromPs);
  expect(procSource().read(pid)).toMatchObject({ pid, parent: process.pid, group: pid, zombie: false });
});

test("an unused or impossible pid is undefined in both sources", () => {
  for (const one of [procSource(), psSource()]) expect(one.read(2 ** 22 + 1)).toBeUndefined();
});

test.skipIf(process.platform !== "linux")("a process without free descriptors can still read processes", () => {
  const program = fileURLToPath(new URL("testing/without-descriptors.ts", import.meta.url));
  const line = 'ulimit -n 128; exec "$0" --import tsx "$1"';
  const env = { ...process.env, AGENTD_TEST_MARK: "here" };
  const { stdout } = spawnSync("sh", ["-c", line, process.execPath, program], { env, encoding: "utf8" });
  expect(JSON.parse(stdout)).toEqual({ failure: "EMFILE", isRead: true, isListed: true, marks: ["here"] });
});
