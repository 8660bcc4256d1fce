// SPDX-License-Identifier: MIT OR Apache-2.0
import { AgentError } from "../../agent-client/agent-error.ts";
import { isRunning, startTimeOf } from "../daemon/process-alive.ts";
import { recordedAgentd } from "../daemon/daemon-record.ts";
import { waitUntilStopped } from "../daemon/wait-until-stopped.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { usageError } from "../process/mix-error.ts";

export const spec: VerbSpec = {
  usage: "agent stop",
  about:
    "Asks the daemon to quit. It closes its live sessions first; this returns when the process is gone, or with exit 3 when no session has ended for 30 s. An agentd that cannot be reached over the Bus gets SIGTERM. Exit 6 if none runs.",
  flags: {},
  positionals: { min: 0, max: 1 },
  examples: ["mix agent stop"],
  neverStarts: true,
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, context, output } = invocation;
  const [word] = args.positionals;
  if (word !== undefined)
    throw usageError(`stop ends agentd itself, with all its sessions; to end one session: mix agent close ${word}`);
  const { pid, startTime, sessionsLeft } = await requestStop(invocation);
  await waitUntilStopped({
    context,
    pid,
    isRunning: () => isRunning(pid, startTime),
    sessionsLeft,
    say: (text) => output.word(text),
  });
  if (output.mode === "json") await output.document("mix.stopped.v1", { pid });
  else if (output.mode === "ids") await output.line(`${pid}`);
  else output.word(`agentd (pid ${pid}) has stopped; the next \`mix agent\` command starts it again`);
}

interface StoppingAgentd {
  readonly pid: number;
  readonly startTime: string | undefined;
  readonly sessionsLeft: () => Promise<number>;
}

/** Asks agentd over the Bus to quit. If the Bus does not reach it, sends SIGTERM, which has the same effect. */
async function requestStop({ context, output, connect }: Invocation): Promise<StoppingAgentd> {
  try {
    const bus = await connect("running-agentd");
    const { pid } = await bus.ask("agent.status", {});
    const startTime = startTimeOf(pid);
    await bus.call("agent", "QUIT");
    return { pid, startTime, sessionsLeft: async () => (await bus.ask("agent.status", {})).sessions.live };
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== "UNREACHABLE") throw error;
    const recorded = recordedAgentd(context);
    if (recorded === undefined) throw error;
    output.word(`agentd (pid ${recorded.pid}) cannot be reached over the Bus: sending SIGTERM`);
    process.kill(recorded.pid, "SIGTERM");
    return { ...recorded, sessionsLeft: () => Promise.reject(error) };
  }
}
