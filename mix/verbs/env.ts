// SPDX-License-Identifier: MIT OR Apache-2.0
import {
  isVariableName,
  listStoredNames,
  removeStoredValue,
  type StoredName,
  storeValue,
  valuesDirectory,
} from "../../files/stored-values.ts";
import type { CatalogueEntry } from "../../agentd/vocabulary/replies.ts";
import { closestWord } from "../../display/closest-word.ts";
import { askSecret } from "../attach/ask-secret.ts";
import { runCheck } from "../daemon/run-check.ts";
import { misused } from "../input/arguments.ts";
import { readStdin } from "../input/read-input.ts";
import { type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import type { Context } from "../process/context.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { MixError, ownError, usageError } from "../process/mix-error.ts";
import { detectFit, formatTable } from "../view/table.ts";

export const spec: VerbSpec = {
  usage: "agent env set <NAME> | unset <NAME> | ls",
  about:
    "Stores the secret value of a variable, such as a key, for an agent: each of its processes gets it from then on, and neither the Bus nor the log ever has it. `set` asks for the value, which is not shown, or reads it from stdin. `ls` lists names only. One that is for no agent is passed on by `start --env NAME`.",
  flags: {
    agent: {
      kind: "text",
      value: "AGENT",
      about: "who gets it (default: the agent whose key it is)",
      isMain: true,
    },
    ...tableFlag,
  },
  positionals: { min: 1, max: 2 },
  examples: ["mix agent env set ANTHROPIC_API_KEY", "mix agent env set GH_TOKEN --agent codex < token.txt"],
  neverStarts: true,
};

export async function run(invocation: Invocation): Promise<Outcome | void> {
  const { args } = invocation;
  const [action, name] = args.positionals;
  if (action === "ls") {
    if (name !== undefined) throw misused(spec.usage, "ls takes no name");
    return await list(invocation);
  }
  if (action !== "set" && action !== "unset") throw misused(spec.usage, `unknown command ${action}`);
  if (name === undefined) throw misused(spec.usage, "the name of the variable is missing");
  if (!isVariableName(name))
    throw usageError(
      "this is not the name of a variable (or of agentd's own, AGENTD_…); its value is asked for, or read from stdin",
    );
  const store = await openStore(invocation.context);
  if (action === "unset")
    return await unset(invocation, store, { name, agent: ownerOf(name, args.text("agent"), store) });
  const stored = { name, agent: agentFor(name, args.text("agent"), store) };
  if (surroundings.test(name)) {
    const where = `env of [agents.${stored.agent ?? "<name>"}] in agentd.toml`;
    throw usageError(
      `${name} says where programs are found and how they run, and is no secret: write it into ${where}`,
    );
  }
  const value = await readValue(invocation, store, stored);
  if (value === undefined) return { kind: "interrupted" };
  store.set(stored, value);
  const { output } = invocation;
  if (output.mode === "json") await output.document("mix.env.v1", { ...toJson(stored) });
  else {
    output.word(`stored; ${whoGets(stored)}`);
    sayKeptLogin(invocation, store, stored.agent);
  }
}

/** With a wrong value of one of these an agent does not run, and its value would be redacted wherever it is printed. */
const surroundings = /^(?:PATH|HOME|SHELL|TMPDIR|NODE_OPTIONS|(?:LD|DYLD)_\w+)$/u;

/** An agent that has logged in with a key, or otherwise, keeps that login whatever key it is given. */
export function sayKeptLogin({ output }: Pick<Invocation, "output">, { agents }: ValueStore, name?: string): void {
  const entry = agents.find(({ agent }) => agent === name);
  if (entry?.login_stored !== true) return;
  const { agent, login_file: file } = entry;
  const where = file === undefined ? "" : ` in ${file}`;
  output.word(`${agent} has kept a login${where}, which counts until you replace it: mix agent agents login ${agent}`);
}

/** What the file system refuses is thrown as an error for people. */
export interface ValueStore {
  readonly agents: readonly CatalogueEntry[];
  /** Why the agents of the configuration are not among them. */
  readonly configProblem: string | undefined;
  names(): readonly StoredName[];
  set(stored: StoredName, value: string): void;
  /** Returns false if there was none. */
  remove(stored: StoredName): boolean;
}

/** The values of the agentd that `mix` would start. Throws if its state directory cannot be used. */
export async function openStore(context: Context): Promise<ValueStore> {
  const check = await runCheck(context);
  if ("failed" in check) throw ownError("UNREACHABLE", `agentd's own program failed: ${check.failed}`);
  const { state, agents = [], problem } = check;
  if (state === undefined) throw usageError(problem ?? "there is no state directory");
  if (state.problem !== undefined) throw usageError(`${state.directory} ${state.problem}`);
  const directory = valuesDirectory(state.directory);
  return {
    agents,
    configProblem: check.config?.problems[0],
    names: () => inDirectory(directory, () => listStoredNames(directory)),
    set(stored, value) {
      const unusable = inDirectory(directory, () => storeValue(directory, context.uid, stored, value));
      if (unusable !== undefined) throw usageError(unusable);
    },
    remove: (stored) => inDirectory(directory, () => removeStoredValue(directory, stored)),
  };
}

function inDirectory<T>(directory: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw usageError(`the values in ${directory} cannot be used: ${(error as Error).message}`);
  }
}

/** The agent that was named, or the only one that takes this variable for its key. */
function agentFor(name: string, named: string | undefined, { agents, configProblem }: ValueStore): string | undefined {
  if (named === undefined) {
    const takers = agents.filter(({ key_variables: keys = [] }) => keys.includes(name));
    return takers.length === 1 ? takers[0]?.agent : undefined;
  }
  const known = agents.map(({ agent }) => agent);
  if (known.includes(named)) return named;
  const meant = closestWord(named, known);
  const advice = meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
  const unread = configProblem === undefined ? "" : `\nyour agents could not be read: ${configProblem}`;
  throw new MixError("AGENT_UNKNOWN", `there is no agent ${JSON.stringify(named.slice(0, 64))}; ${advice}${unread}`);
}

/** As `agentFor`, and an agent that is no longer in the configuration, but has a value. */
function ownerOf(name: string, named: string | undefined, store: ValueStore): string | undefined {
  const isStored = named !== undefined && store.names().some((one) => one.name === name && one.agent === named);
  return isStored ? named : agentFor(name, named, store);
}

async function list({ args, context, output }: Invocation): Promise<void> {
  const store = await openStore(context);
  const only = args.text("agent");
  const names = store.names().filter(({ agent }) => only === undefined || agent === only);
  if (output.mode === "json") return await output.document("mix.env.v1", { values: names.map(toJson) });
  if (output.mode === "ids") {
    for (const { name } of names) await output.line(name);
    return;
  }
  const rows = names.map(({ name, agent }) => [name, agent ?? "any start with --env"]);
  const table = [["NAME", "AGENT"], ...rows];
  for (const line of formatTable(table, detectFit(context, args.switch("no-trunc")), [])) await output.line(line);
}

async function unset(invocation: Invocation, store: ValueStore, stored: StoredName): Promise<Outcome> {
  const { output } = invocation;
  const { name, agent } = stored;
  if (!store.remove(stored)) {
    const others = store.names().filter((one) => one.name === name && one.agent !== undefined);
    const advice =
      others.length === 0 ? "" : `; it has one for ${others.map((one) => one.agent).join(", ")}: use --agent`;
    throw usageError(`${name} has no stored value${agent === undefined ? "" : ` for ${agent}`}${advice}`);
  }
  if (output.mode === "json") await output.document("mix.env.v1", { ...toJson(stored) });
  else {
    output.word(`removed; processes that run already keep it`);
    sayKeptLogin(invocation, store, agent);
  }
  return { kind: "done" };
}

const valueBytesMax = 64 * 1024;

/** Undefined if the person gave it up. */
export async function readValue(
  { context, output }: Pick<Invocation, "context" | "output">,
  { agents }: Pick<ValueStore, "agents">,
  { name, agent }: StoredName,
): Promise<string | undefined> {
  const { stdin, stderr } = context;
  const question = `${name}${agent === undefined ? "" : ` for ${agent}`} (not shown)`;
  const isKey = agents.some(({ key_variables: keys = [] }) => keys.includes(name));
  const isAsked = stdin.isTTY === true && stderr.isTTY;
  if (isAsked && output.mode === "people") {
    const typed = await askSecret(context, question, valueBytesMax);
    return typed === undefined ? undefined : checkedValue(typed.trim(), isKey);
  }
  if (stdin.isTTY === true) throw usageError("the value is read from stdin here: mix agent env set NAME < FILE");
  const bytes = await readStdin(stdin, valueBytesMax + 2);
  if (!Buffer.from(bytes.toString("utf8")).equals(bytes)) throw usageError("the value is not UTF-8");
  const text = bytes.toString("utf8").replace(/\r?\n$/u, "");
  return checkedValue(isKey ? text.trim() : text, isKey);
}

/** `isKey`: the value is sent in a header of HTTP. */
function checkedValue(value: string, isKey: boolean): string {
  if (value === "") throw usageError("the value is empty; nothing was stored");
  if (value.includes("\0")) throw usageError("the value contains a NUL character, which no variable can");
  if (/[^\P{Cc}\t\r\n]/u.test(value)) throw usageError("the value contains a control character; nothing was stored");
  if (isKey && !/^[!-~]*$/u.test(value))
    throw usageError("a key has no blanks, line ends or characters beyond ASCII: was more than the key given?");
  if (Buffer.byteLength(value) > valueBytesMax) throw usageError(`the value is longer than ${valueBytesMax} bytes`);
  return value;
}

function whoGets({ name, agent }: StoredName): string {
  return agent === undefined
    ? `a start gets it with --env ${name}`
    : `every new start and resume of ${agent} gets it, without --env; ${howSessionsGetIt}`;
}

/** An agent's process keeps the variables and the login with which it began. */
export const howSessionsGetIt =
  'a session that is live gets it after: mix agent close <session>, mix agent send <session> "…"';

function toJson({ name, agent }: StoredName): object {
  return { name, agent: agent ?? null };
}
