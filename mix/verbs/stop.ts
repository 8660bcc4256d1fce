// SPDX-License-Identifier: MIT OR Apache-2.0
import { done } from "../exit-codes.ts";
import type { Outcome } from "../exit-codes.ts";
import { MixError, ownError } from "../mix-error.ts";
import { pause } from "../pause.ts";
import { isRunning, startTimeOf } from "../process-alive.ts";
import { type RecordedProcess, recordedAgentd } from "../recorded-agentd.ts";
import type { Invocation, VerbSpec } from "../verb.ts";

export const spec: VerbSpec = {
  usage: "agent stop",
  about:
    "Asks the daemon to quit. It closes its live sessions properly first; this returns when the process is gone, or with exit 3 after 30 s. One that the Bus does not lead to is ended by SIGTERM. Exit 6 where none runs.",
  flags: {},
  positionals: { min: 0, max: 0 },
  examples: ["mix agent stop"],
  neverStarts: true,
};

/** How long a daemon may take to close its sessions and go. */
const goneWithinMs = 30_000;

export async function run(invocation: Invocation): Promise<Outcome> {
  const { context, output } = invocation;
  const deadline = context.now() + goneWithinMs;
  const { pid, startTime } = await askedToGo(invocation);
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

/** Over the Bus; where that does not lead to agentd, by the signal that asks the same of it. */
async function askedToGo({ context, output, connect }: Invocation): Promise<RecordedProcess> {
  try {
    const bus = await connect("running-agentd");
    const { pid } = await bus.ask("agent.status", {});
    const startTime = startTimeOf(pid);
    await bus.call("agent", "QUIT");
    return { pid, startTime };
  } catch (error) {
    if (!(error instanceof MixError) || error.code !== "UNREACHABLE") throw error;
    const recorded = recordedAgentd(context);
    if (recorded === undefined) throw error;
    output.word(`agentd (pid ${recorded.pid}) is not to be reached over the Bus: ended by SIGTERM`);
    process.kill(recorded.pid, "SIGTERM");
    return recorded;
  }
}

const pollMs = 50;
