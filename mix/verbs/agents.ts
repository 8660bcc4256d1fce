// SPDX-License-Identifier: MIT OR Apache-2.0
import { done } from "../process/exit-codes.ts";
import type { Outcome } from "../process/exit-codes.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { printableLine } from "../../display/printable.ts";
import { formatTable } from "../view/table.ts";

export const spec: VerbSpec = {
  usage: "agent agents",
  about: "Lists the agents that can be started, whether each is installed, and how to install those that are not.",
  flags: {},
  positionals: { min: 0, max: 0 },
  examples: ["mix agent agents"],
};

export async function run({ output, read }: Invocation): Promise<Outcome> {
  const bus = await read("agentd");
  const { agents } = await bus.ask("agent.list", {});
  if (output.mode === "json") {
    await output.document("mix.agents.v1", { agents });
  } else if (output.mode === "ids") {
    for (const { agent } of agents) await output.line(agent);
  } else {
    const rows = agents.map(({ agent, installed, version, command, install, problem }) => [
      printableLine(agent),
      installed ? "yes" : "no",
      printableLine(version ?? "-"),
      printableLine(
        installed ? command.join(" ") : [problem, install && `install: ${install}`].filter(Boolean).join("; "),
      ),
    ]);
    for (const line of formatTable([["AGENT", "INSTALLED", "VERSION", "COMMAND"], ...rows])) await output.line(line);
  }
  return done;
}
