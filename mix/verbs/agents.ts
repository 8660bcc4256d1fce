// SPDX-License-Identifier: MIT OR Apache-2.0
import { type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { detectFit, formatTable } from "../view/table.ts";

export const spec: VerbSpec = {
  usage: "agent agents",
  about: "Lists the agents that can be started, whether each is installed, and how to install those that are not.",
  flags: tableFlag,
  examples: ["mix agent agents"],
};

export async function run({ args, context, output, read }: Invocation): Promise<void> {
  const bus = await read("agentd");
  const { agents } = await bus.ask("agent.list", {});
  const fit = detectFit(context, args.switch("no-trunc"));
  // On a terminal what to run stands below the table, where nothing of it is cut.
  const isBelow = fit.columns > 0;
  const rows = agents.map(({ agent, installed, version, command, install, problem }) => {
    const missing = [problem, isBelow ? undefined : install && `install: ${install}`].filter(Boolean).join("; ");
    return [agent, installed ? "yes" : "no", version ?? "-", installed ? command.join(" ") : missing];
  });
  if (output.mode === "json") await output.document("mix.agents.v1", { agents });
  else if (output.mode === "ids") for (const { agent } of agents) await output.line(agent);
  else {
    const table = [["AGENT", "INSTALLED", "VERSION", "COMMAND"], ...rows];
    for (const line of formatTable(table, fit, [{ column: 3, min: 16 }])) await output.line(line);
    for (const { agent, installed, install } of agents) {
      if (isBelow && !installed && install !== undefined) output.word(`to install ${agent}: ${install}`);
    }
  }
}
