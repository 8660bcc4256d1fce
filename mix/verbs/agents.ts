// SPDX-License-Identifier: MIT OR Apache-2.0
import type { CatalogueEntry } from "../../agentd/vocabulary/replies.ts";
import { homePath } from "../process/home-path.ts";
import { misused } from "../input/arguments.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { detectFit, formatTable } from "../view/table.ts";
import { installAgent, removeAgent } from "./install-agent.ts";

export const spec: VerbSpec = {
  usage: "agent agents | install <agent> | remove <agent>",
  about:
    "Lists the agents that can be started, whether and where each is installed, and how to install those that are not. `install` installs a built-in agent with your npm into agentd's own directory, at the version that agentd was tested with, and runs none of its install scripts; `remove` removes it from there. Nothing is ever installed unasked.",
  flags: tableFlag,
  positionals: { min: 0, max: 2 },
  examples: ["mix agent agents", "mix agent agents install claude"],
};

export function run(invocation: Invocation): Promise<Outcome | void> {
  const { args } = invocation;
  const [action, agent, ...more] = args.positionals;
  if (action === undefined) return list(invocation);
  if (action === "install" || action === "remove") {
    if (agent === undefined || more.length > 0) throw misused(spec.usage, `${action} takes one agent`);
    return action === "install" ? installAgent(invocation, agent) : removeAgent(invocation, agent);
  }
  throw misused(spec.usage, `unknown command ${action}`);
}

async function list({ args, context, output, read }: Invocation): Promise<void> {
  const bus = await read("agentd");
  const { agents } = await bus.ask("agent.list", {});
  const fit = detectFit(context, args.switch("no-trunc"));
  // On a terminal what to run stands below the table, where nothing of it is cut.
  const isBelow = fit.columns > 0;
  const rows = agents.map((entry) => rowOf(entry, isBelow, context));
  if (output.mode === "json") await output.document("mix.agents.v1", { agents });
  else if (output.mode === "ids") for (const { agent } of agents) await output.line(agent);
  else {
    const table = [["AGENT", "INSTALLED", "VERSION", "COMMAND"], ...rows];
    for (const line of formatTable(table, fit, [{ column: 3, min: 16 }])) await output.line(line);
    for (const { agent, installed, install } of agents) {
      if (isBelow && install !== undefined) output.word(`to ${installed ? "mend" : "install"} ${agent}: ${install}`);
    }
  }
}

function rowOf(
  { agent, installed, version = "-", command, file, from, install, problem, warning }: CatalogueEntry,
  isBelow: boolean,
  context: Invocation["context"],
): string[] {
  const remedy = isBelow || install === undefined ? undefined : `install: ${install}`;
  if (!installed) return [agent, "no", version, [problem, remedy].filter(Boolean).join("; ")];
  const [program, ...args] = command;
  const found = from === undefined || file === undefined ? program : isBelow ? homePath(file, context) : file;
  const runs = [found, ...args].join(" ");
  return [agent, sources[from ?? "own"], version, [warning, remedy, runs].filter(Boolean).join("; ")];
}

/** Where the program of an installed agent was found. */
const sources = { path: "on PATH", npm: "by npm", agentd: "by agentd", own: "yes" } as const;
