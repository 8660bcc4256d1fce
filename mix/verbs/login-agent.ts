// SPDX-License-Identifier: MIT OR Apache-2.0
// A login to an agent: runs it in this terminal, or has the agent do it. Nothing is opened; a page to visit is shown.
import { isAbsolute } from "node:path";
import type { LoginMethod, LoginReply } from "../../agentd/vocabulary/replies.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { printableLine } from "../../display/printable.ts";
import { findOnPath } from "../../files/find-on-path.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import { readLoginEnvironment } from "../daemon/login-environment.ts";
import { runWithTerminal } from "../process/run-with-terminal.ts";
import type { Invocation } from "../input/verb.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { MixError, usageError } from "../process/mix-error.ts";
import { askChoice } from "../attach/ask-choice.ts";
import { howSessionsGetIt, openStore, readValue, sayKeptLogin } from "./env.ts";

export async function loginToAgent(invocation: Invocation, agent: string, method?: string): Promise<Outcome> {
  const bus = await invocation.connect("agentd");
  const chosen = method ?? (await chooseMethod(invocation, agent));
  if (chosen === undefined) return { kind: "interrupted" };
  const reply = await ask(invocation, bus, agent, chosen);
  const outcome =
    reply.run !== undefined
      ? await runInTerminal(invocation, { agent, method: chosen }, reply.run)
      : await storeKeys(invocation, { bus, agent, method: chosen }, reply.variables ?? []);
  if (outcome.kind !== "done") return outcome;
  const { output } = invocation;
  if (output.mode === "json") await output.document("mix.login.v1", { agent, method: chosen, done: true });
  else output.word(`logged in to ${agent}; ${howSessionsGetIt}`);
  return outcome;
}

/** Starts the agent to ask it. */
export async function loginMethods(invocation: Invocation, agent: string): Promise<readonly LoginMethod[]> {
  const bus = await invocation.connect("agentd");
  invocation.output.word(`asking ${agent} how people log in …`);
  return (await bus.ask("agent.login", { agent })).methods ?? [];
}

async function chooseMethod(invocation: Invocation, agent: string): Promise<string | undefined> {
  const methods = await loginMethods(invocation, agent);
  const [only, another] = methods;
  if (only === undefined) {
    throw new MixError(
      "UNSUPPORTED",
      `${agent} offers no login; give it a key with \`mix agent env set NAME --agent ${agent}\``,
    );
  }
  if (another === undefined) return only.method;
  if (!isInteractive(invocation)) {
    const list = methods
      .map(({ method, name }) => printableLine(`  mix agent agents login ${agent} ${shellWord(method)}   ${name}`))
      .join("\n");
    throw usageError(`${agent} has several logins; choose one:\n${list}`);
  }
  const index = await askChoice(invocation, `How do you log in to ${agent}?`, methods.map(describeMethod));
  return index === undefined ? undefined : methods[index]?.method;
}

export function describeMethod({ name, description, type }: LoginMethod): string {
  const where = type === "terminal" ? " (in this terminal)" : type === "env_var" ? " (a key)" : "";
  return `${name}${where}${description === undefined ? "" : `: ${description}`}`;
}

/** Waits for a login that the agent does, and shows the page that it needs. */
async function ask({ output }: Invocation, bus: AgentBus, agent: string, method: string): Promise<LoginReply> {
  for (let visits = 0; ;) {
    const reply = await bus.ask("agent.login", { agent, method, visits });
    if (reply.visit !== undefined) {
      visits = reply.visit.nth;
      output.notice(reply.visit.message);
      output.notice(`open this page yourself: ${reply.visit.url}`);
    } else if (reply.pending !== true) return reply;
  }
}

async function storeKeys(
  invocation: Invocation,
  { bus, agent, method }: { readonly bus: AgentBus; readonly agent: string; readonly method: string },
  variables: readonly string[],
): Promise<Outcome> {
  if (variables.length === 0) return { kind: "done" };
  const store = await openStore(invocation.context);
  for (const name of variables) {
    const stored = { name, agent };
    const value = await readValue(invocation, store, stored);
    if (value === undefined) return { kind: "interrupted" };
    store.set(stored, value);
  }
  // An agent whose login needs the key logs in with it now, in place of the login that it has kept.
  const { done } = await ask(invocation, bus, agent, method);
  if (!done) sayKeptLogin(invocation, store, agent);
  return { kind: "done" };
}

async function runInTerminal(
  invocation: Invocation,
  { agent, method }: { readonly agent: string; readonly method: string },
  { command, env: more }: NonNullable<LoginReply["run"]>,
): Promise<Outcome> {
  const { context, output } = invocation;
  const [program = "", ...args] = command;
  const words = command.map(shellWord).join(" ");
  if (!isInteractive(invocation)) {
    const again = `mix agent agents login ${agent} ${shellWord(method)}`;
    throw new MixError("AGENT_AUTH", `this login needs a terminal; run in one: ${again}`);
  }
  const env = { ...(await readLoginEnvironment(context, agent)), ...more };
  const file = isAbsolute(program) ? program : findOnPath(program, env["PATH"]);
  if (file === undefined) throw new MixError("AGENT_UNAVAILABLE", `${program} was not found on the PATH of ${agent}`);
  output.word(`running: ${words}`);
  const ended = await runWithTerminal(context, [file, ...args], env);
  const again = `again: mix agent agents login ${agent}`;
  switch (ended.kind) {
    case "done":
      return ended;
    case "interrupted":
      output.word(`the login of ${agent} was stopped; ${again}`);
      return ended;
    case "failed":
      throw new MixError("AGENT_AUTH", `the login of ${agent} ended with ${ended.reason}; try ${again}`);
    case "not_run":
      throw new MixError("AGENT_UNAVAILABLE", `${program} could not be run: ${ended.reason}`);
  }
}

/** As a shell takes it for one word. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
