// SPDX-License-Identifier: MIT OR Apache-2.0
import { type BusError, asBusError } from "../bus-error.ts";
import type { Clock } from "../clock.ts";
import { prepareSocketDirectory, removeStaleSocket } from "../embedded-socket.ts";
import { underSocketLock } from "../socket-lock.ts";
import { checkUnixPath } from "../socket-path.ts";
import type { Broker } from "./broker.ts";

/**
 * Listens on a Unix socket in the place of one that a killed process left; false where somebody listens there already.
 * Of several that do so at once, one listens. Throws BusError as `listenUnix` does.
 */
export async function listenReplacingStale(broker: Broker, path: string): Promise<boolean> {
  checkUnixPath(path);
  prepareSocketDirectory(path, process.getuid?.() ?? -1);
  return await underSocketLock(path, async () => {
    if ((await removeStaleSocket(path)) === "live") return false;
    await broker.listenUnix(path);
    return true;
  });
}

export interface KeepSocketOptions {
  readonly clock: Pick<Clock, "after">;
  /** The socket's file was gone, and is there again; connections that were up have stayed. */
  readonly onRestored: () => void;
  /** Another broker listens there by now: this one is found by nobody, and is looked after no longer. */
  readonly onReplaced: () => void;
  /** It cannot be made again just now; told once, and tried again. */
  readonly onFault: (error: BusError) => void;
}

/**
 * Looks after a socket that `listenReplacingStale` has made: a full logout removes the user's runtime directory, and people
 * remove files. What comes back ends that.
 */
export function keepSocketInPlace(broker: Broker, path: string, options: KeepSocketOptions): () => void {
  const { clock, onRestored, onReplaced, onFault } = options;
  let ended = false;
  let faulty = false;
  let cancel = clock.after(lookMs, look);

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
    cancel = clock.after(lookMs, look);
  }

  return () => {
    ended = true;
    cancel();
  };
}

/** One look at a name. */
const lookMs = 2_000;
