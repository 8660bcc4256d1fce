// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { currentBootId, startTimeOf } from "./process-alive.ts";
import { recordedAgentd } from "./daemon-record.ts";

test.runIf(process.platform === "linux")(
  "a record identifies a process only by pid, start time and boot together",
  async () => {
    const home = mkdtempSync(join(tmpdir(), "mix-recorded-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const context = { env: {}, home };
    const state = join(home, ".local/state/agentd");
    mkdirSync(state, { recursive: true });
    const child = spawn("sleep", ["600"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const whole = { pid, start_time: startTimeOf(pid), boot_id: currentBootId() };
    const found = (record: unknown): unknown => {
      writeFileSync(join(state, "agentd.pid"), JSON.stringify(record));
      return recordedAgentd(context);
    };
    expect(recordedAgentd(context)).toBeUndefined();
    expect(found(whole)).toEqual({ pid, startTime: whole.start_time });
    const others = [
      { ...whole, start_time: `${whole.start_time}1` },
      { ...whole, boot_id: "another" },
      { ...whole, start_time: undefined },
      { ...whole, pid: 0 },
      { ...whole, pid: -1 },
      { pid },
      null,
      7,
    ];
    expect(others.map(found)).toEqual(others.map(() => undefined));
    rmSync(join(state, "agentd.pid"));
    execFileSync("mkfifo", [join(state, "agentd.pid")]);
    expect(recordedAgentd(context)).toBeUndefined();
    rmSync(join(state, "agentd.pid"));
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(found(whole)).toBeUndefined();
  },
);
