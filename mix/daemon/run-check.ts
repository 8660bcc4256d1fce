// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import type { CheckReport } from "../../agentd/vocabulary/check.ts";
import type { Context } from "../process/context.ts";
import { daemonEnvironment } from "./daemon-environment.ts";

const checkWithinMs = 10_000;

/** Asks agentd's program what a start of it would find. Starts no daemon. */
export async function runCheck({
  agentdProgram,
  nodeProgram,
  env,
}: Pick<Context, "agentdProgram" | "nodeProgram" | "env">): Promise<CheckReport | { readonly failed: string }> {
  const options = { cwd: "/", env: daemonEnvironment(env), timeout: checkWithinMs, encoding: "utf8" } as const;
  try {
    const { stdout } = await promisify(execFile)(nodeProgram, [agentdProgram, "--check"], options);
    return JSON.parse(stdout) as CheckReport;
  } catch (error) {
    return { failed: existsSync(agentdProgram) ? lastLine((error as Error).message) : `${agentdProgram} is missing` };
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
