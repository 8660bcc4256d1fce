// SPDX-License-Identifier: MIT OR Apache-2.0

import { lstatSync, unlinkSync } from "node:fs";
import { createConnection } from "node:net";
import { dirname, isAbsolute, join } from "node:path";
import { makeDirectories } from "../files/make-directories.ts";
import { BusError } from "./bus-error.ts";
import { unixPathBytesMax } from "./socket-path.ts";

/**
 * Returns the socket of this user's embedded broker: `$XDG_RUNTIME_DIR/mixos/bus.sock`, or `/tmp/mixos-<uid>/bus.sock` if
 * that variable is unset or the path too long for a socket. Ignores `TMPDIR`, since a daemon and a command line with
 * different environments must find the same socket.
 */
export function embeddedSocketPath(surroundings: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly temporaryDirectory?: string;
}): string {
  const runtime = surroundings.env["XDG_RUNTIME_DIR"];
  if (runtime && isAbsolute(runtime)) {
    const path = join(runtime, "mixos", "bus.sock");
    if (Buffer.byteLength(path) <= unixPathBytesMax) return path;
  }
  return join(surroundings.temporaryDirectory ?? "/tmp", `mixos-${surroundings.uid}`, "bus.sock");
}

export type SocketDirectory =
  | { readonly kind: "trusted" }
  | { readonly kind: "absent" }
  | { readonly kind: "refused"; readonly reason: string };

/** Checks that the directory of a socket belongs to the user and is closed to all others. Symbolic links are refused. */
export function trustedSocketDirectory(socketPath: string, uid: number): SocketDirectory {
  const directory = dirname(socketPath);
  try {
    const stats = lstatSync(directory, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: "absent" };
    const refused = (reason: string): SocketDirectory => ({ kind: "refused", reason: `${directory} ${reason}` });
    if (!stats.isDirectory()) return refused("is not a directory");
    if (stats.uid !== uid) return refused(`belongs to uid ${stats.uid}, not to uid ${uid}`);
    if ((stats.mode & 0o077) !== 0)
      return refused(`is open to others (mode ${(stats.mode & 0o777).toString(8)}, not 700)`);
    return { kind: "trusted" };
  } catch (error) {
    return { kind: "refused", reason: `${directory}: ${(error as Error).message}` };
  }
}

/** Creates the directory of a socket with mode 0700 if it is missing. Throws BusError DIRECTORY_REFUSED. */
export function prepareSocketDirectory(socketPath: string, uid: number): void {
  const directory = dirname(socketPath);
  try {
    makeDirectories(directory);
  } catch (cause) {
    throw new BusError("DIRECTORY_REFUSED", `cannot create ${directory}: ${(cause as Error).message}`, { cause });
  }
  const state = trustedSocketDirectory(socketPath, uid);
  if (state.kind === "trusted") return;
  throw new BusError("DIRECTORY_REFUSED", state.kind === "refused" ? state.reason : `${directory} was removed`);
}

/** How long a listener may take to accept a connection. */
const probeTimeoutMs = 1_000;

/** `stale`: the socket file exists, but no process listens on it. */
export type SocketState = "absent" | "stale" | "live";

/** Derives the state of a Unix socket from a failed connect. A full backlog (EAGAIN) and a timeout count as live. */
export function socketStateOf(failure: unknown): SocketState {
  const { code } = (failure ?? {}) as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "absent";
  return code === "ECONNREFUSED" || code === "ENOTSOCK" ? "stale" : "live";
}

/** Checks whether a process listens on a Unix socket. */
export function probeSocket(path: string): Promise<SocketState> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    const end = (state: SocketState): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(state);
    };
    const timer = setTimeout(() => end("live"), probeTimeoutMs);
    socket.on("connect", () => end("live"));
    socket.on("error", (error) => end(socketStateOf(error)));
  });
}

/**
 * Removes the socket file of a killed process. The caller must hold the socket's lock, since another process could start
 * to listen between the check and the removal. Leaves a file that is not a socket alone and reports it as "live".
 */
export async function removeStaleSocket(path: string): Promise<"absent" | "removed" | "live"> {
  const state = await probeSocket(path);
  if (state !== "stale") return state;
  if (!lstatSync(path).isSocket()) return "live";
  unlinkSync(path);
  return "removed";
}
