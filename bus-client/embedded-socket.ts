// SPDX-License-Identifier: MIT OR Apache-2.0

import { lstatSync, unlinkSync } from "node:fs";
import { createConnection } from "node:net";
import { dirname, isAbsolute, join } from "node:path";
import { makeDirectories } from "../files/make-directories.ts";
import { BusError } from "./bus-error.ts";
import { unixPathBytesMax } from "./socket-path.ts";

/**
 * Where the embedded broker of this user listens: `$XDG_RUNTIME_DIR/mixos/bus.sock`; where that variable is unset, or
 * would make the path longer than a socket's may be, `mixos-<uid>/bus.sock` in the directory for temporary files, which
 * `TMPDIR` does not move: a daemon and a command line with different environments must meet.
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

/** Whether the directory of a socket is the user's own and closed to all others; a link to one is not. */
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

/** Makes the directory of a socket, mode 0700, where there is none. Throws BusError DIRECTORY_REFUSED. */
export function prepareSocketDirectory(socketPath: string, uid: number): void {
  const directory = dirname(socketPath);
  try {
    makeDirectories(directory);
  } catch (cause) {
    throw new BusError("DIRECTORY_REFUSED", `${directory} cannot be made: ${(cause as Error).message}`, { cause });
  }
  const state = trustedSocketDirectory(socketPath, uid);
  if (state.kind === "trusted") return;
  throw new BusError("DIRECTORY_REFUSED", state.kind === "refused" ? state.reason : `${directory} went away`);
}

/** How long a listener may take to accept. */
const probeTimeoutMs = 1_000;

/** `stale`: a socket's file is there, and nobody listens on it. */
export type SocketState = "absent" | "stale" | "live";

/** What a failed attempt to connect to a Unix socket says of it. A full backlog counts as life, and so does silence. */
export function socketStateOf(failure: unknown): SocketState {
  const { code } = (failure ?? {}) as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "absent";
  return code === "ECONNREFUSED" || code === "ENOTSOCK" ? "stale" : "live";
}

/** Whether anybody listens on a Unix socket. */
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
 * Removes the socket file that a killed process left. Only under the socket's lock: between the look and the removal
 * another process could begin to listen. What is not a socket is left alone, as "live".
 */
export async function removeStaleSocket(path: string): Promise<"absent" | "removed" | "live"> {
  const state = await probeSocket(path);
  if (state !== "stale") return state;
  if (!lstatSync(path).isSocket()) return "live";
  unlinkSync(path);
  return "removed";
}
