// SPDX-License-Identifier: MIT OR Apache-2.0
// Retries a request while the Bus or agentd is unreachable. A command that follows a session must outlast agentd's
// longest reconnect delay, so it gives up only if nothing can come back by itself.
import { AgentError } from "../agent-error.ts";

/** `systemClock` of bus-client has the first two members. */
export interface RetryPolicy {
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
  /** Whether the Bus or agentd can come back by itself. While it cannot, retrying ends after 30 s. */
  readonly mayComeBack?: () => boolean;
  /** Called once when a request first fails, and once when it is answered again. */
  readonly onReachableChange?: (reachable: boolean) => void;
  readonly signal?: AbortSignal;
}

/** Limit while agentd has no process: long enough for a restart or an upgrade by hand. */
const giveUpAfterMs = 30_000;
const retryMsMax = 2_000;

/**
 * Calls `ask` until it succeeds. Returns undefined if the signal fires first. Throws the error of `ask` if it is a
 * refusal, or after 30 s in which nothing could come back by itself.
 */
export async function retryWhileAway<Result>(
  policy: RetryPolicy,
  ask: () => Promise<Result>,
): Promise<Awaited<Result> | undefined> {
  const { now, mayComeBack, onReachableChange, signal } = policy;
  const isAborted = (): boolean => signal?.aborted === true;
  let giveUpAt = now() + giveUpAfterMs;
  let isAway = false;
  for (let attempt = 0; !isAborted(); attempt += 1) {
    try {
      const result = await unlessAborted(signal, ask());
      if (isAway && !isAborted()) onReachableChange?.(true);
      return result;
    } catch (error) {
      const kind = error instanceof AgentError ? retryKinds.get(error.code) : undefined;
      if (kind === undefined) throw error;
      if (kind === "away" && !isAway) onReachableChange?.(false);
      isAway ||= kind === "away";
      if (kind === "busy" || mayComeBack?.() === true) giveUpAt = now() + giveUpAfterMs;
      else if (now() >= giveUpAt) throw error;
      await pauseUnlessAborted(policy, Math.min(100 * 2 ** attempt, retryMsMax));
    }
  }
  return undefined;
}

const retryKinds: ReadonlyMap<string, "away" | "busy"> = new Map([
  ["UNREACHABLE", "away"],
  ["TIME_LIMIT", "away"],
  ["BUSY", "busy"],
]);

function unlessAborted<Result>(signal: AbortSignal | undefined, asked: Promise<Result>): Promise<Result | undefined> {
  if (signal === undefined) return asked;
  return new Promise((resolve, reject) => {
    const aborted = (): void => resolve(undefined);
    signal.addEventListener("abort", aborted, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  });
}

function pauseUnlessAborted({ after, signal }: RetryPolicy, ms: number): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      cancel();
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const cancel = after(ms, over);
    signal?.addEventListener("abort", over, { once: true });
  });
}
