// SPDX-License-Identifier: MIT OR Apache-2.0
// `mix agent doctor` with the real programs: it starts nothing, changes nothing, and finds what is wrong.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { CheckReport } from "../agentd/vocabulary/check.ts";
import type { Finding } from "../mix/doctor/findings.ts";
import { startDaemonProcess } from "./harness/daemon-process.ts";
import { makePlace, type Place } from "./harness/place.ts";

const built = (name: string): string => fileURLToPath(new URL(`../dist/bin/${name}.cjs`, import.meta.url));

function doctor({ environment }: Place): { readonly code: number | null; readonly findings: readonly Finding[] } {
  const args = [built("mix"), "agent", "doctor", "--json"];
  const { status, stdout } = spawnSync(process.execPath, args, { env: environment, encoding: "utf8" });
  return { code: status, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings };
}

function stateOf(findings: readonly Finding[], subject: string): Finding["state"] | undefined {
  return findings.find((one) => one.subject === subject)?.state;
}

test("before the first start nothing is wrong, and nothing is made", () => {
  using place = makePlace({ mine: [process.execPath] });
  const before = readdirSync(place.home, { recursive: true });
  const { code, findings } = doctor(place);
  expect(code).toBe(0);
  expect(Object.fromEntries(findings.map(({ subject, state }) => [subject, state]))).toMatchObject({
    node: "ok",
    agentd: "none",
    bus: "none",
    settings: "ok",
    log: "none",
    "agent mine": "ok",
    "agent demo": "ok",
  });
  expect(readdirSync(place.home, { recursive: true })).toEqual(before);
});

test("a refused configuration, an empty log and a program that is gone are faults", () => {
  using place = makePlace({ mine: ["/nowhere/agent"] });
  mkdirSync(place.stateDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.stateDirectory, "log.db"), "");
  const gone = doctor(place);
  expect(gone.code).toBe(1);
  expect([stateOf(gone.findings, "log"), stateOf(gone.findings, "agent mine")]).toEqual(["fault", "fault"]);
  place.configure("max_sessions = true");
  expect(stateOf(doctor(place).findings, "settings")).toBe("fault");
  chmodSync(place.stateDirectory, 0o722);
  expect(stateOf(doctor(place).findings, "state")).toBe("fault");
});

test("of a running agentd it shows the Bus and its sessions", async () => {
  using place = makePlace();
  await using daemon = await startDaemonProcess(place);
  const { code, findings } = doctor(place);
  expect(code).toBe(0);
  expect(findings.find(({ subject }) => subject === "agentd")?.words).toContain(`pid ${daemon.child.pid}`);
  expect([stateOf(findings, "bus"), stateOf(findings, "log")]).toEqual(["ok", "ok"]);
});

test("agentd --check prints one line of JSON", () => {
  using place = makePlace({ mine: [process.execPath] });
  const printed = execFileSync(process.execPath, [built("agentd"), "--check"], {
    env: place.environment,
    encoding: "utf8",
  });
  expect(printed.trimEnd()).not.toContain("\n");
  const report = JSON.parse(printed) as CheckReport;
  expect(report.config).toEqual({ file: place.configFile, loaded: true, problems: [], warnings: [] });
  expect(report.agents?.map(({ agent }) => agent)).toEqual(["claude", "codex", "gemini", "opencode", "demo", "mine"]);
});
