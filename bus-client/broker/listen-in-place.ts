// SPDX-License-Identifier: MIT OR Apache-2.0
import { prepareSocketDirectory, removeStaleSocket } from "../embedded-socket.ts";
import { underSocketLock } from "../socket-lock.ts";
import { checkUnixPath } from "../socket-path.ts";
import type { Broker } from "./broker.ts";

/**
 * Listens on a Unix socket in the place of one that a killed process left; false where somebody listens there already.
 * Of several that do so at once, one listens. Throws BusError as `listenUnix` does.
 */
export async function listenInPlace(broker: Broker, path: string): Promise<boolean> {
  checkUnixPath(path);
  prepareSocketDirectory(path, process.getuid?.() ?? -1);
  return await underSocketLock(path, async () => {
    if ((await removeStaleSocket(path)) === "live") return false;
    await broker.listenUnix(path);
    return true;
  });
}
