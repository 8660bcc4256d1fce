// SPDX-License-Identifier: MIT OR Apache-2.0
import type { CatalogueEntry } from "../../agentd/vocabulary/replies.ts";
import { printableLine } from "../../display/printable.ts";
import { askChoice } from "../attach/ask-choice.ts";
import { askYesOrNo } from "../attach/ask-yes-or-no.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { parseArguments } from "../input/arguments.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { exitCodeOf, type Outcome } from "../process/exit-codes.ts";
import type { StoredName } from "../../files/stored-values.ts";
import { openStore, readValue, type ValueStore } from "./env.ts";
import * as start from "./start.ts";
import { installAgent } from "./install-agent.ts";
import { describeMethod, loginMethods, loginToAgent } from "./login-agent.ts";

export const spec: VerbSpec = {
  usage: "agent setup",
  about:
    "For the first quarter of an hour: finds your agents, and offers to log in to one or to give it a key, and to try it in this directory. Asks before each step and does nothing unasked. Without a terminal it says what it found and what to type.",
  flags: {},
  examples: ["mix agent setup"],
};

export function run(invocation: Invocation): Promise<Outcome> {
  return setUp(invocation);
}

/** `wanted`: the agent that the person has chosen already. */
async function setUp(invocation: Invocation, wanted?: string): Promise<Outcome> {
  const { context, output } = invocation;
  const store = await openStore(context);
  const agents = store.agents
    .filter(({ agent }) => agent !== "demo")
    .map((entry) => withReadiness(entry, store, context.env));
  if (output.mode === "json") {
    await output.document("mix.setup.v1", { agents: agents.map(toJson) });
    return { kind: "done" };
  }
  // At a terminal the question below lists them.
  if (!isInteractive(invocation)) {
    const width = Math.max(...agents.map(({ entry }) => entry.agent.length));
    for (const { entry, words } of agents) await output.line(`${entry.agent.padEnd(width)}  ${printableLine(words)}`);
    for (const one of agents) for (const command of nextCommands(one)) output.word(command);
    output.word(withoutAgent);
    return { kind: "done" };
  }
  const chosen = agents.find(({ entry }) => entry.agent === wanted) ?? (await chooseAgent(invocation, agents));
  if (chosen === undefined) {
    output.word(withoutAgent);
    return { kind: "left" };
  }
  if (!chosen.entry.installed) return await offerInstall(invocation, chosen);
  if (!chosen.isReady && !(await makeReady(invocation, store, chosen.entry))) {
    output.word("to go on later: mix agent setup");
    return { kind: "left" };
  }
  const { agent } = chosen.entry;
  const prompt = "Say in one sentence what this directory contains. Change nothing.";
  const question = `Try ${agent} in ${context.cwd()}? It is asked: "${prompt}"`;
  if (await askYesOrNo(context, printableLine(question))) {
    const outcome = await start.run({ ...invocation, args: parseArguments([agent, prompt], start.spec) });
    if (exitCodeOf(outcome) !== 0) return outcome;
  }
  output.word(`from now on: mix agent start ${agent} "…"`);
  return { kind: "done" };
}

const withoutAgent = 'to try it without an agent of your own: mix agent start demo "hello"';

async function chooseAgent(invocation: Invocation, agents: readonly Found[]): Promise<Found | undefined> {
  const index = await askChoice(
    invocation,
    "Which agent do you want to use?",
    agents.map(({ entry, words }) => `${entry.title}: ${words}`),
  );
  return index === undefined ? undefined : agents[index];
}

/** Installs the agent if the person wants it, and goes on with it. */
async function offerInstall(invocation: Invocation, { entry }: Found): Promise<Outcome> {
  const { context, output } = invocation;
  const { agent, install, built_in: isBuiltIn } = entry;
  if (!isBuiltIn || install === undefined) {
    output.word(entry.problem ?? `${agent} is not installed`);
    return { kind: "left" };
  }
  if (!(await askYesOrNo(context, `Install ${agent} with your npm, into agentd's own directory?`))) {
    output.word(`to install ${agent}: ${install}`);
    return { kind: "left" };
  }
  return (await installAgent(invocation, agent)) ?? (await setUp(invocation, agent));
}

interface Found {
  readonly entry: CatalogueEntry;
  readonly isReady: boolean;
  readonly words: string;
}

function withReadiness(entry: CatalogueEntry, store: ValueStore, env: Invocation["context"]["env"]): Found {
  if (!entry.installed) return { entry, isReady: false, words: "not installed" };
  const names = entry.key_variables ?? [];
  const hasKey = store.names().some(({ name, agent }) => agent === entry.agent && names.includes(name));
  const inherited = names.find((name) => env[name] !== undefined && env[name] !== "");
  const version = entry.version === undefined ? "installed" : `${entry.version} installed`;
  if (entry.login_stored === true) return { entry, isReady: true, words: `${version}, a login is stored` };
  if (hasKey) return { entry, isReady: true, words: `${version}, a key is stored` };
  // Only the agent knows: agentd may not have this variable.
  if (inherited !== undefined) return { entry, isReady: false, words: `${version}; ${inherited} is set in this shell` };
  return { entry, isReady: false, words: `${version}, no login was found` };
}

function nextCommands({ entry, isReady }: Found): readonly string[] {
  const { agent, installed, install, key_variables: [key] = [] } = entry;
  if (!installed) return install === undefined ? [] : [`to install ${agent}: ${install}`];
  if (isReady) return [`to try ${agent}: mix agent start ${agent} "…"`];
  const withKey = key === undefined ? "" : `, or: mix agent env set ${key} --agent ${agent}`;
  return [`to log in to ${agent}: mix agent agents login ${agent}${withKey}`];
}

/** Asks once, for the agent's own logins and for keys. Returns false if the person gave it up, or it failed. */
async function makeReady(invocation: Invocation, store: ValueStore, entry: CatalogueEntry): Promise<boolean> {
  const onwards: Way = { words: "go on without", go: () => Promise.resolve(true) };
  const ways = [...(await waysToLogIn(invocation, store, entry)), onwards];
  const question = `${entry.agent} needs a login or a key. What do you want to do?`;
  const index = await askChoice(
    invocation,
    question,
    ways.map(({ words }) => words),
  );
  const way = index === undefined ? undefined : ways[index];
  return way !== undefined && ((await orSayError(invocation, way.go)) ?? false);
}

interface Way {
  readonly words: string;
  readonly go: () => Promise<boolean>;
}

/** An agent that cannot say how people log in may still take a key. */
async function waysToLogIn(
  invocation: Invocation,
  store: ValueStore,
  { agent, key_variables: keys = [] }: CatalogueEntry,
): Promise<readonly Way[]> {
  const methods = (await orSayError(invocation, () => loginMethods(invocation, agent))) ?? [];
  const asked = new Set(methods.flatMap(({ variables = [] }) => variables));
  return [
    ...methods.map((one) => ({
      words: describeMethod(one),
      go: async () => (await loginToAgent(invocation, agent, one.method)).kind === "done",
    })),
    ...keys
      .filter((name) => !asked.has(name))
      .map((name) => ({ words: `give it a key: ${name}`, go: () => giveKey(invocation, store, { name, agent }) })),
  ];
}

async function giveKey(invocation: Invocation, store: ValueStore, stored: StoredName): Promise<boolean> {
  const value = await readValue(invocation, store, stored);
  if (value !== undefined) store.set(stored, value);
  return value !== undefined;
}

async function orSayError<T>({ output }: Invocation, attempted: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempted();
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    output.error(error);
    return undefined;
  }
}

function toJson({ entry, isReady }: Found): object {
  const { agent, installed } = entry;
  return { agent, installed, ready: isReady, next: nextCommands({ entry, isReady, words: "" }) };
}
