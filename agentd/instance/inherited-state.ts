// SPDX-License-Identifier: MIT OR Apache-2.0
// Resets what the daemon inherited from the process that happened to start it.
import { closeSync, readFileSync, readdirSync } from "node:fs";
import { sessionMarker } from "../catalogue/environment.ts";

/** The parts of `process` that are changed. */
export interface OwnProcess {
  readonly platform: NodeJS.Platform;
  readonly env: Record<string, string | undefined>;
  chdir(directory: string): void;
  umask(mask: number): number;
}

/**
 * Call it first in the daemon's main program, before anything is opened. Sets umask 077, changes to `/`, closes inherited
 * files, pipes and locks, and removes the marker of the session that it may have been started from. Returns the previous
 * umask, which applies to files created for the user.
 */
export function resetInheritedState(own: OwnProcess): number {
  const umask = own.umask(0o077);
  own.chdir("/");
  delete own.env[sessionMarker];
  closeInheritedDescriptors(own);
  return umask;
}

/**
 * Closes the inherited descriptors from 3 up, which are those without close-on-exec (Node sets it on its own), since a
 * lock held through one would stay held. Returns them. Linux only, by /proc; elsewhere closes none.
 */
export function closeInheritedDescriptors({ platform, env }: Pick<OwnProcess, "platform" | "env">): readonly number[] {
  if (platform !== "linux") return [];
  // Node itself uses the inherited IPC channel to a Node parent; closing it would end the process.
  const channel = Number(env["NODE_CHANNEL_FD"] ?? Number.NaN);
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter(
      (descriptor) => descriptor > 2 && descriptor !== channel && isInherited(descriptor) && isClosed(descriptor),
    );
}

const closeOnExec = 0o2000000;

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/mu.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // Closed already: the descriptor through which the directory was read.
    return false;
  }
}

function isClosed(descriptor: number): boolean {
  try {
    closeSync(descriptor);
    return true;
  } catch {
    return false;
  }
}
