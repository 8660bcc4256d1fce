// SPDX-License-Identifier: MIT OR Apache-2.0
import type { WaitReply } from "../../agentd/vocabulary/replies.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { done, exitCodeOf, type Outcome } from "../process/exit-codes.ts";
import { MixError, ownError } from "../process/mix-error.ts";
import { retryWhileAway, type RetryPolicy } from "../../agent-client/requests/retry-while-away.ts";
import { busRetryPolicy } from "../watch/retry-policy.ts";
import { endedOutcome, reportFailure } from "../watch/turn-outcome.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { sessionReference } from "../references/session-reference.ts";

export const spec: VerbSpec = {
  usage: "agent wait [session…]",
  about:
    "Waits until each session is idle, waits for an answer or has ended: by default, whichever comes first. A session that ends always ends the wait for it.",
  flags: {
    for: { kind: "text", value: "WHAT", about: "idle, waiting, ended or any (default)", isMain: true },
    timeout: { kind: "text", value: "TIME", about: "give up after this time: 30s, 1h30m (exit 3)", isMain: true },
  },
  positionals: { min: 0, max: 64 },
  examples: ["mix agent wait abc def --for idle --timeout 10m"],
};

const waitStates = ["idle", "waiting", "ended"] as const;
type WaitState = (typeof waitStates)[number];

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, context, output } = invocation;
  const named = args.choices("for", [...waitStates, "any"]);
  const wanted = waitStates.filter((state) => named.length === 0 || named.includes(state) || named.includes("any"));
  const timeoutMs = args.duration("timeout");
  const bus = await invocation.connect("agentd");
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : context.now() + timeoutMs;
  const timeLimit = new AbortController();
  const cancelTimer = timeoutMs === undefined ? undefined : context.after(timeoutMs, () => timeLimit.abort());
  const policy = { ...busRetryPolicy(context, output, bus), signal: timeLimit.signal };
  const words: readonly (string | undefined)[] = args.positionals.length === 0 ? [undefined] : args.positionals;
  const sessions: string[] = [];
  for (const word of words) sessions.push(await sessionReference(invocation, bus, word));
  const waits = sessions.map((session) => waitForSession(invocation, bus, { session, wanted, deadline, policy }));
  // Each result is written as it comes. The first failure in command-line order decides the outcome.
  const results = await Promise.allSettled(waits);
  cancelTimer?.();
  for (const result of results) {
    if (result.status === "rejected") throw result.reason;
    if (exitCodeOf(result.value) !== 0) return result.value;
  }
  return done;
}

const waitMsMax = 50_000;

async function waitForSession(
  invocation: Invocation,
  bus: AgentBus,
  wait: {
    readonly session: string;
    readonly wanted: WaitState[];
    readonly deadline: number;
    readonly policy: RetryPolicy;
  },
): Promise<Outcome> {
  const { context } = invocation;
  for (;;) {
    const left = wait.deadline - context.now();
    // `ended` is always included, because an ended session never becomes idle.
    const request = {
      session: wait.session,
      until: [...new Set([...wait.wanted, "ended" as const])],
      timeout_ms: Math.max(1, Math.min(waitMsMax, Math.ceil(left))),
    };
    const reply =
      left <= 0 ? undefined : await retryWhileAway(wait.policy, () => bus.ask("agent.session.wait", request));
    if (reply === undefined) {
      throw ownError("TIME_LIMIT", `session ${wait.session} did not become ${wait.wanted.join(" or ")} in time`);
    }
    if (reply.timed_out) continue;
    await writeReply(invocation, reply);
    const ended = endedOutcome(reply);
    if (ended?.state === "closed" && !wait.wanted.includes("ended")) {
      throw new MixError("SESSION_STATE", `session ${reply.session} is closed`, {
        details: { session: reply.session },
      });
    }
    if (ended !== undefined) reportFailure(invocation.output, reply.session, ended);
    return ended ?? done;
  }
}

async function writeReply({ output }: Invocation, reply: WaitReply): Promise<void> {
  if (output.mode === "json") return output.row(reply);
  if (output.mode === "ids") return output.line(reply.session);
  return output.line(`${reply.session} ${reply.state}`);
}
