// SPDX-License-Identifier: MIT OR Apache-2.0
// How many sessions this process can hold: each takes descriptors, and the system lets a process have so many.
import { readFileSync } from "node:fs";

/** An agent's stdin, stdout and stderr. Each of its terminals takes two more. */
const descriptorsPerSession = 3;
/** The log, the Bus, the configuration's watch and whoever is connected. */
const reservedDescriptors = 64;

/** RLIMIT_NOFILE as it holds for this process; undefined where there is none, or none that can be read. */
export function openFilesMax(file = "/proc/self/limits"): number | undefined {
  try {
    const found = /^Max open files\s+(\d+)\s/mu.exec(readFileSync(file, "latin1"))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

/** A sentence where `maxSessions` is more than the descriptors suffice for. */
export function descriptorWarning(maxSessions: number, filesMax: number | undefined): string | undefined {
  if (filesMax === undefined) return undefined;
  const possible = Math.max(0, Math.floor((filesMax - reservedDescriptors) / descriptorsPerSession));
  if (maxSessions <= possible) return undefined;
  return `max_sessions is ${maxSessions}, but the ${filesMax} open files that the system allows agentd suffice for ${possible} sessions without terminals: starts beyond that will fail; raise LimitNOFILE of its unit, or \`ulimit -n\``;
}
