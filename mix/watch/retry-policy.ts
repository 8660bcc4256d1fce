// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import type { RetryPolicy } from "../../agent-client/requests/retry-while-away.ts";
import type { Context } from "../process/context.ts";
import type { Output } from "../process/output.ts";

/** Retry policy of a verb. It reports each change of reachability once, however many requests are waiting. */
export function busRetryPolicy(context: Context, output: Output, bus: AgentBus, say = callNow): RetryPolicy {
  let isAway = false;
  return {
    now: context.now,
    after: context.after,
    mayComeBack: bus.mayComeBack,
    onReachableChange(reachable) {
      if (isAway === !reachable) return;
      isAway = !reachable;
      say(() => output.notice(reachable ? "agentd is back" : awayMessage(bus)));
    },
  };
}

function callNow(words: () => void): void {
  words();
}

function awayMessage({ client }: AgentBus): string {
  return client.state.kind === "connected" ? "agentd is away; waiting for it" : "the Bus is gone; waiting for it";
}
