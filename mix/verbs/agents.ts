// SPDX-License-Identifier: MIT OR Apache-2.0
import type { CatalogueEntry } from "../../agentd/vocabulary/replies.ts";
import { homePath } from "../process/home-path.ts";
import { misused } from "../input/arguments.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { detectFit, formatTable } from "../view/table.ts";
import { addAgent, listRegistry } from "./add-agent.ts";
import { installAgent, removeAgent } from "./install-agent.ts";
import { login } from "./login.ts";
import { probeAgent, probeFlags } from "./probe-agent.ts";

export const spec: VerbSpec = {
  usage:
    "agent agents | probe <agent> | install <agent> | remove <agent> | login [agent] [method] | add <name> -- <command…> | registry <source>",
  about:
    "Lists the agents, and where each was found. `probe` measures what one offers. `install` has your npm put a built-in one into agentd's own directory, without install scripts; `remove` undoes it. `add` writes one of your own into agentd.toml; `registry` lists those of a file or an https URL in the ACP registry's format, for `add <id> --registry`.",
  flags: {
    registry: { kind: "text", value: "SOURCE", about: "with add: the agent of that id in this registry" },
    replace: { kind: "switch", about: "with add: give an agent of that name this command" },
    ...probeFlags,
    ...tableFlag,
  },
  positionals: { min: 0, max: 1_000 },
  examples: ["mix agent agents install claude", "mix agent agents add mine -- my-agent --acp"],
};

const actions: Readonly<Record<string, (invocation: Invocation, words: readonly string[]) => Promise<Outcome | void>>> =
  {
    probe: (invocation, words) => probeAgent(invocation, onlyWord("probe", words)),
    install: (invocation, words) => installAgent(invocation, onlyWord("install", words)),
    login: (invocation, [agent, method, ...more]) => {
      if (more.length > 0) throw misused(spec.usage, "login takes an agent, and a method");
      return login(invocation, agent, method);
    },
    remove: (invocation, words) => removeAgent(invocation, onlyWord("remove", words)),
    registry: (invocation, words) => listRegistry(invocation, onlyWord("registry", words)),
    add: (invocation, [name, ...command]) => {
      if (name === undefined) throw misused(spec.usage, "the agent's name is missing");
      return addAgent(invocation, name, command);
    },
  };

export function run(invocation: Invocation): Promise<Outcome | void> {
  const [action, ...words] = invocation.args.positionals;
  if (action === undefined) return list(invocation);
  if (!Object.hasOwn(actions, action)) throw misused(spec.usage, `unknown command ${action}`);
  return actions[action]?.(invocation, words) ?? Promise.resolve();
}

function onlyWord(action: string, [word, ...more]: readonly string[]): string {
  if (word === undefined || more.length > 0) throw misused(spec.usage, `${action} takes one word`);
  return word;
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
