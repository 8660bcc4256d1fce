// SPDX-License-Identifier: MIT OR Apache-2.0
import { type BusError, asBusError } from "../bus-error.ts";
import type { Clock } from "../clock.ts";
import { prepareSocketDirectory, removeStaleSocket } from "../embedded-socket.ts";
import { withSocketLock } from "../socket-lock.ts";
import { checkUnixPath } from "../socket-path.ts";
import type { Broker } from "./broker.ts";

/**
 * Listens on a Unix socket, replacing the stale file of a killed process. Returns false if another process listens there.
 * If several processes try at once, exactly one succeeds. Throws BusError as `listenUnix` does.
 */
export async function listenReplacingStale(broker: Broker, path: string): Promise<boolean> {
  checkUnixPath(path);
  prepareSocketDirectory(path, process.getuid?.() ?? -1);
  return await withSocketLock(path, async () => {
    if ((await removeStaleSocket(path)) === "live") return false;
    await broker.listenUnix(path);
    return true;
  });
}

export interface KeepSocketOptions {
  readonly clock: Pick<Clock, "after">;
  /** Called after a removed socket file was recreated. Open connections were not affected. */
  readonly onRestored: () => void;
  /** Called when another broker listens there. New clients no longer reach this one, and the upkeep has ended. */
  readonly onReplaced: () => void;
  /** Called once when the socket file cannot be recreated. It is retried. */
  readonly onFault: (error: BusError) => void;
}

/**
 * Recreates the socket of `listenReplacingStale` whenever its file is missing: a full logout removes the user's runtime
 * directory, and people delete files. Returns a function that ends the upkeep.
 */
export function keepSocketInPlace(broker: Broker, path: string, options: KeepSocketOptions): () => void {
  const { clock, onRestored, onReplaced, onFault } = options;
  let ended = false;
  let faulty = false;
  let cancel = clock.after(checkMs, look);

  function look(): void {
    if (broker.isInPlace(path)) later();
    else void renew();
  }

  async function renew(): Promise<void> {
    try {
      const isOurs = await listenReplacingStale(broker, path);
      if (ended) return;
      if (!isOurs) return onReplaced();
      faulty = false;
      onRestored();
    } catch (error) {
      if (ended) return;
      if (!faulty) onFault(asBusError(error, "LISTEN_FAILED"));
      faulty = true;
    }
    later();
  }

  function later(): void {
    cancel = clock.after(checkMs, look);
  }

  return () => {
    ended = true;
    cancel();
  };
}

/** How often the socket file is checked. */
const checkMs = 2_000;
