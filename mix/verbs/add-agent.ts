// SPDX-License-Identifier: MIT OR Apache-2.0
// `mix agent agents add` and `registry`: agents of the user's own, in the configuration file.
import { join, resolve } from "node:path";
import type { RegistryAgent } from "../../agentd/vocabulary/catalogue-change.ts";
import { printableLine } from "../../display/printable.ts";
import { askYesOrNo } from "../attach/ask-yes-or-no.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { homePath } from "../process/home-path.ts";
import { MixError, usageError } from "../process/mix-error.ts";
import type { Invocation } from "../input/verb.ts";
import { detectFit, formatTable } from "../view/table.ts";
import { changeShown } from "./install-agent.ts";

export async function addAgent(
  invocation: Invocation,
  name: string,
  typed: readonly string[],
): Promise<Outcome | void> {
  const { args, context, output } = invocation;
  const source = args.text("registry");
  if (source !== undefined && typed.length > 0) throw usageError("with --registry the command comes from the registry");
  const agent = source === undefined ? ownAgent(invocation, typed) : await agentOfRegistry(invocation, source, name);
  if (agent === "interrupted") return { kind: "interrupted" };
  const { command, env = {} } = agent;
  if (source !== undefined) {
    output.word(`it will be started by: ${[...variables(env), ...command].map(printableLine).join(" ")}`);
    const isRefused = isInteractive(invocation) && !(await askYesOrNo(context, `add ${name}?`));
    if (isRefused) return { kind: "refused", code: "CANCELLED" };
  }
  const replace = args.switch("replace") ? ["--replace"] : [];
  const hasEnv = Object.keys(env).length > 0;
  const words = ["--add", name, ...replace, ...(hasEnv ? ["--env-from-stdin"] : []), "--", ...command];
  const change = await changeShown(invocation, words, hasEnv ? JSON.stringify(env) : undefined);
  if (change === "interrupted") return { kind: "interrupted" };
  const { added } = change;
  if (added === undefined) return;
  if (output.mode === "json") return output.document("mix.added.v1", { agent: name, ...added });
  if (output.mode === "ids") return output.line(name);
  await output.line(`${name} added to ${context.stdout.isTTY ? homePath(added.file, context) : added.file}`);
  if (added.problem !== undefined) output.word(`it cannot be started yet: ${added.problem}`);
}

interface Startable {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A relative path is meant from here; a bare name is looked up by agentd. */
function ownAgent({ context }: Invocation, words: readonly string[]): Startable {
  const [program, ...rest] = words;
  if (program === undefined || program === "")
    throw usageError("the command is missing: mix agent agents add <name> -- <command> [<word>…]");
  return { command: [program.includes("/") ? absolute(program, context) : program, ...rest] };
}

async function agentOfRegistry(invocation: Invocation, source: string, id: string): Promise<Startable | "interrupted"> {
  const agents = await agentsOf(invocation, source);
  if (agents === "interrupted") return agents;
  const agent = agents.find((one) => one.id === id);
  if (agent === undefined) {
    throw new MixError("AGENT_UNKNOWN", `the registry has no agent ${id}; \`mix agent agents registry\` lists them`);
  }
  const { command, env } = agent;
  if (command === undefined) {
    throw new MixError(
      "NOT_INSTALLABLE",
      `the registry has ${id} only as a download; install it, then: mix agent agents add ${id} -- <command>`,
    );
  }
  return { command, ...(env === undefined ? {} : { env }) };
}

export async function listRegistry(invocation: Invocation, source: string): Promise<Outcome | void> {
  const { args, context, output } = invocation;
  const agents = await agentsOf(invocation, source);
  if (agents === "interrupted") return { kind: "interrupted" };
  if (output.mode === "json") return output.document("mix.registry.v1", { agents });
  if (output.mode === "ids") {
    for (const { id } of agents) await output.line(id);
    return;
  }
  const rows = agents.map(({ id, version, name, command, env = {} }) => [
    id,
    version,
    name,
    command === undefined ? "download only" : [...variables(env), ...command].join(" "),
  ]);
  const table = [["ID", "VERSION", "NAME", "COMMAND"], ...rows];
  const fit = detectFit(context, args.switch("no-trunc"));
  for (const line of formatTable(table, fit, [{ column: 3, min: 16 }])) await output.line(line);
  output.word("to add one: mix agent agents add <id> --registry <source>");
}

async function agentsOf(invocation: Invocation, source: string): Promise<readonly RegistryAgent[] | "interrupted"> {
  const { context, output } = invocation;
  const place = /^[a-z][a-z0-9+.-]*:\/\//i.test(source) ? source : absolute(source, context);
  const change = await changeShown(invocation, ["--registry", place]);
  if (change === "interrupted") return change;
  const { agents = [], skipped = 0 } = change.registry ?? {};
  if (skipped > 0) output.word(`${skipped} entries are not in the format, and were skipped`);
  return agents;
}

function absolute(path: string, { cwd, home }: Invocation["context"]): string {
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(cwd(), path);
}

function variables(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}
