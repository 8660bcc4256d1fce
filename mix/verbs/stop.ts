// SPDX-License-Identifier: MIT OR Apache-2.0
import { done } from "../exit-codes.ts";
import type { Outcome } from "../exit-codes.ts";
import { isRunning, startTimeOf } from "../process-alive.ts";
import { untilStopped } from "../until-stopped.ts";
import type { Invocation, VerbSpec } from "../verb.ts";

export const spec: VerbSpec = {
  usage: "agent stop",
  about:
    "Asks the daemon to quit. It closes its live sessions properly first; this returns when the process is gone, or with exit 3 when none of them has ended for 30 s. Exit 6 where none runs.",
  flags: {},
  positionals: { min: 0, max: 0 },
  examples: ["mix agent stop"],
  neverStarts: true,
};

export async function run({ context, output, connect }: Invocation): Promise<Outcome> {
  const bus = await connect("running-agentd");
  const { pid } = await bus.ask("agent.status", {});
  const startTime = startTimeOf(pid);
  await bus.call("agent", "QUIT");
  await untilStopped({
    context,
    pid,
    isRunning: () => isRunning(pid, startTime),
    sessionsLeft: async () => (await bus.ask("agent.status", {})).sessions.live,
    say: (text) => output.word(text),
  });
  if (output.mode === "json") await output.document("mix.stopped.v1", { pid });
  else if (output.mode === "ids") await output.line(`${pid}`);
  else output.word(`agentd (pid ${pid}) has stopped`);
  return done;
}
