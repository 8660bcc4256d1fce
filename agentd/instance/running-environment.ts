// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import { attempt } from "../../files/attempt.ts";
import { findRecordedHolder } from "./lock.ts";

/**
 * Returns the environment with which the agentd that runs was started: a service manager may have given it another one
 * than a shell has. Undefined if none runs, and where the system does not tell, which only Linux does.
 */
export function runningEnvironment(pidFile: string): Readonly<Record<string, string>> | undefined {
  const pid = findRecordedHolder(pidFile);
  if (pid === undefined) return undefined;
  const text = attempt(() => readFileSync(`/proc/${pid}/environ`, "utf8"));
  if (text === undefined) return undefined;
  const variables = text.split("\0").flatMap((variable) => {
    const [, name, value] = /^([^=]+)=(.*)$/su.exec(variable) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(variables);
}
