// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads a list of agents in the format of the public ACP registry. It is data: nothing of it runs before a person has
// added an agent of it to the configuration.
import * as z from "zod";
import type { RegistryAgent } from "../../vocabulary/catalogue-change.ts";

const text = z
  .string()
  .max(1_000)
  .refine((value) => !value.includes("\0"));
const variables = z.record(z.string().regex(/^(?!AGENTD_)[A-Za-z_][A-Za-z0-9_]*$/u), text);
/** A word that npx or uvx would take for an option is none. */
const noOption = text.regex(/^[^-]/u);
const packaged = z.object({
  package: noOption,
  cmd: noOption.optional(),
  args: z.array(text).max(100).default([]),
  env: variables.default({}),
});
const agentSchema = z.object({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/u),
  name: text,
  version: text,
  description: text,
  distribution: z.object({ npx: packaged.optional(), uvx: packaged.optional(), binary: z.unknown().optional() }),
});
/** Further keys of the list are ignored, and each agent is read on its own. */
const listSchema = z.object({ agents: z.array(z.unknown()).max(10_000) });

export interface Registry {
  readonly agents: readonly RegistryAgent[];
  /** Entries that are not in the format. */
  readonly skipped: number;
}

/** Undefined if the text is not such a list at all. */
export function parseRegistry(json: string): Registry | undefined {
  let document: unknown;
  try {
    document = JSON.parse(json.replace(/^\uFEFF/u, ""));
  } catch {
    return undefined;
  }
  const list = listSchema.safeParse(document);
  if (!list.success) return undefined;
  const agents = list.data.agents.map((entry) => agentSchema.safeParse(entry)).flatMap(({ data }) => data ?? []);
  const first = new Map(agents.toReversed().map((agent) => [agent.id, agent]));
  return {
    agents: agents.filter((agent) => first.get(agent.id) === agent).map(agentOf),
    skipped: list.data.agents.length - first.size,
  };
}

function agentOf({ id, name, version, description, distribution }: z.output<typeof agentSchema>): RegistryAgent {
  const { npx, uvx } = distribution;
  const agent = { id, name, version, description };
  if (npx !== undefined) return { ...agent, command: npxCommand(npx), env: npx.env };
  if (uvx !== undefined) return { ...agent, command: uvxCommand(uvx), env: uvx.env };
  return agent;
}

type Packaged = z.output<typeof packaged>;

function npxCommand({ package: name, cmd, args }: Packaged): [string, ...string[]] {
  return cmd === undefined ? ["npx", "--yes", name, ...args] : ["npx", "--yes", `--package=${name}`, cmd, ...args];
}

function uvxCommand({ package: name, cmd, args }: Packaged): [string, ...string[]] {
  return cmd === undefined ? ["uvx", name, ...args] : ["uvx", "--from", name, cmd, ...args];
}
