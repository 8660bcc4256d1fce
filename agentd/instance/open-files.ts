// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks that the limit on open files suffices for the configured number of sessions.
import { readFileSync } from "node:fs";

/** An agent's stdin, stdout and stderr. Each terminal takes two more, which are not counted. */
const descriptorsPerSession = 3;
/** For the log, the Bus, the watch of the configuration and the broker's connections. */
const reservedDescriptors = 64;

/** The soft RLIMIT_NOFILE of this process; undefined if unlimited or unknown. */
export function openFilesMax(file = "/proc/self/limits"): number | undefined {
  try {
    const found = /^Max open files\s+(\d+)\s/mu.exec(readFileSync(file, "latin1"))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

/** Returns a warning if `maxSessions` needs more descriptors than `filesMax`. */
export function descriptorWarning(maxSessions: number, filesMax: number | undefined): string | undefined {
  if (filesMax === undefined) return undefined;
  const possible = Math.max(0, Math.floor((filesMax - reservedDescriptors) / descriptorsPerSession));
  if (maxSessions <= possible) return undefined;
  return `max_sessions is ${maxSessions}, but the system allows agentd ${filesMax} open files, which suffice for ${possible} sessions without terminals: starts beyond that will fail; raise LimitNOFILE of its unit, or \`ulimit -n\``;
}
