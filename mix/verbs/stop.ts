// SPDX-License-Identifier: MIT OR Apache-2.0
import { done } from "../exit-codes.ts";
import type { Outcome } from "../exit-codes.ts";
import { ownError } from "../mix-error.ts";
import { pause } from "../pause.ts";
import { isRunning, startTimeOf } from "../process-alive.ts";
import type { Invocation, VerbSpec } from "../verb.ts";

export const spec: VerbSpec = {
  usage: "agent stop",
  about:
    "Asks the daemon to quit. It closes its live sessions properly first; this returns when the process is gone, or with exit 3 after 30 s. Exit 6 where none runs.",
  flags: {},
  positionals: { min: 0, max: 0 },
  examples: ["mix agent stop"],
  neverStarts: true,
};

/** How long a daemon may take to close its sessions and go. */
const goneWithinMs = 30_000;

export async function run({ context, output, connect }: Invocation): Promise<Outcome> {
  const bus = await connect("running-agentd");
  const { pid } = await bus.ask("agent.status", {});
  const startTime = startTimeOf(pid);
  const deadline = context.now() + goneWithinMs;
  await bus.call("agent", "QUIT");
  while (isRunning(pid, startTime)) {
    if (context.now() >= deadline)
      throw ownError("TIME_LIMIT", `agentd (pid ${pid}) is still there after ${goneWithinMs / 1000} s`);
    await pause(context, pollMs);
  }
  if (output.mode === "json") await output.document("mix.stopped.v1", { pid });
  else if (output.mode === "ids") await output.line(`${pid}`);
  else output.word(`agentd (pid ${pid}) has stopped`);
  return done;
}

const pollMs = 50;
