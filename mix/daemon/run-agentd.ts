// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import type { Context } from "../process/context.ts";
import { daemonEnvironment } from "./daemon-environment.ts";

export type AgentdPrograms = Pick<Context, "agentdProgram" | "nodeProgram" | "env">;

/** Runs agentd's program to its end, as a daemon that mix starts would run, and returns the line of JSON that it prints. */
export async function runAgentd<T>(
  { agentdProgram, nodeProgram, env }: AgentdPrograms,
  words: readonly string[],
  withinMs: number,
): Promise<T | { readonly failed: string }> {
  const options = {
    cwd: "/",
    env: daemonEnvironment(env),
    timeout: withinMs,
    maxBuffer: outputBytesMax,
    encoding: "utf8",
  } as const;
  try {
    const { stdout } = await promisify(execFile)(nodeProgram, [agentdProgram, ...words], options);
    return parsed(stdout) as T;
  } catch (error) {
    return { failed: existsSync(agentdProgram) ? lastLine((error as Error).message) : `${agentdProgram} is missing` };
  }
}

const outputBytesMax = 16 * 1024 * 1024;

/** A parser's error would contain what was printed. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("what it printed is not JSON");
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
