// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { formatTable } from "../view/table.ts";

export const spec: VerbSpec = {
  usage: "agent agents",
  about: "Lists the agents that can be started, whether each is installed, and how to install those that are not.",
  flags: {},
  examples: ["mix agent agents"],
};

export async function run({ output, read }: Invocation): Promise<void> {
  const bus = await read("agentd");
  const { agents } = await bus.ask("agent.list", {});
  const rows = agents.map(({ agent, installed, version, command, install, problem }) => {
    const missing = [problem, install && `install: ${install}`].filter(Boolean).join("; ");
    return [agent, installed ? "yes" : "no", version ?? "-", installed ? command.join(" ") : missing];
  });
  if (output.mode === "json") await output.document("mix.agents.v1", { agents });
  else if (output.mode === "ids") for (const { agent } of agents) await output.line(agent);
  else for (const line of formatTable([["AGENT", "INSTALLED", "VERSION", "COMMAND"], ...rows])) await output.line(line);
}
