// SPDX-License-Identifier: MIT OR Apache-2.0
// The daemon's first lines: leave behind what it inherited from whoever happened to start it.
import { closeSync, readFileSync, readdirSync } from "node:fs";
import { sessionMarker } from "../catalogue/environment.ts";

/** What of the process is changed; `process` itself fits. */
export interface OwnProcess {
  readonly platform: NodeJS.Platform;
  readonly env: Record<string, string | undefined>;
  chdir(directory: string): void;
  umask(mask: number): number;
}

/**
 * For a daemon's main program alone, before anything else is opened: what agentd makes is its user's alone (umask 077);
 * it holds no directory (it goes to `/`) and none of its starter's files, pipes and locks; and it no longer counts as
 * part of the session that it may have been started from. Returns the umask that it was started with: what is made for the
 * user has that one.
 */
export function resetInheritedState(own: OwnProcess): number {
  const umask = own.umask(0o077);
  own.chdir("/");
  delete own.env[sessionMarker];
  closeInheritedDescriptors(own);
  return umask;
}

/**
 * Closes every descriptor from 3 up that would be passed on to our own children too, which Node's own never are. They
 * came from whoever started us; a lock held through one of them would stay held as long as we live. Returns which. Only
 * where /proc tells (Linux); elsewhere none.
 */
export function closeInheritedDescriptors({ platform, env }: Pick<OwnProcess, "platform" | "env">): readonly number[] {
  if (platform !== "linux") return [];
  // The channel to a Node parent is Node's own, though inherited; closing it under Node would end the process.
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
    // Gone already: the one that the directory was read through.
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
