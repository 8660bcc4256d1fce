// SPDX-License-Identifier: MIT OR Apache-2.0
// Waits for a daemon that was asked to quit, for as long as it makes progress.
import { formatCount } from "../../display/units.ts";
import { type Context, pause } from "../process/context.ts";
import { ownError } from "../process/mix-error.ts";

/** How long a stopping daemon may go without ending a session. */
const noProgressMsMax = 30_000;
const pollMs = 50;
const sessionPollMs = 1000;

export interface StopOptions {
  readonly context: Pick<Context, "now" | "after">;
  readonly pid: number;
  readonly isRunning: () => boolean;
  /** The number of sessions that are still open. Rejects once the daemon cannot be asked any more. */
  readonly sessionsLeft: () => Promise<number>;
  readonly say: (text: string) => void;
}

/** Resolves when the process is gone. Throws TIME_LIMIT if it ends no session for 30 s. */
export async function waitUntilStopped({ context, pid, isRunning, sessionsLeft, say }: StopOptions): Promise<void> {
  let left: number | undefined;
  let polledAt = context.now();
  let deadline = polledAt + noProgressMsMax;
  let isPolling = false;
  const pollSessions = async (): Promise<void> => {
    const now = await sessionsLeft();
    if (left === undefined || now < left) deadline = context.now() + noProgressMsMax;
    if (now !== left && now > 0) say(`${formatCount(now, "session")} left`);
    left = now;
  };
  while (isRunning()) {
    const now = context.now();
    if (now >= deadline) {
      const what = left === undefined || left === 0 ? "" : `, with ${formatCount(left, "session")} left`;
      const how = `\`kill -KILL ${pid}\` ends it, and the next agentd ends its remaining agents`;
      const still = `agentd (pid ${pid}) is still running${what}; no session has ended for ${seconds} s`;
      throw ownError("TIME_LIMIT", `${still}: ${how}`);
    }
    if (!isPolling && now - polledAt >= sessionPollMs) {
      isPolling = true;
      polledAt = now;
      // An error counts as no progress. The daemon leaves the Bus before it exits, so it is not a reason to give up.
      void pollSessions()
        .catch(() => {})
        .finally(() => (isPolling = false));
    }
    await pause(context, pollMs);
  }
}

const seconds = noProgressMsMax / 1000;
