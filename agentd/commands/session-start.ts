// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.start: what must be looked up (program, directories, variables) is looked up before the decision, so
// that an accepted start is refused by nothing but the agent itself.
import { rmdirSync } from "node:fs";
import type { Answer } from "../../bus-client/index.ts";
import { unknownAgentMessage } from "../catalogue/catalogue.ts";
import { findAgent, whyNotFound } from "../catalogue/find-program.ts";
import { passedValuesOf } from "../catalogue/passed-values.ts";
import { sessionOfAgent, type Sender } from "../authority/sender.ts";
import { variablesOf } from "../mcp-servers.ts";
import { freshWorkspace, resolveDirectories } from "../instance/directories.ts";
import type { NewSession } from "../session/core/state.ts";
import { busToolsName, instanceSession } from "../vocabulary/index.ts";
import { type Call, type Handler, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { targetOfName, senderIn, checkGrants } from "./sender.ts";
import { redactArguments } from "./redact-arguments.ts";

type StartCall = Call<"agent.session.start">;

export const start: Handler<"agent.session.start"> = async (instance, call) => {
  const { args, verb, by, origin } = call;
  let made: string | undefined;
  const answered = instance.callers.ask((caller) => {
    // A retry is answered before anything is looked up: what held then need not hold now.
    const recalled = instance.mailbox.recall(instanceSession, { verb, args, by, caller });
    if (recalled) return recalled === "posted" ? undefined : recalled;
    const session = lookUp(instance, call);
    if ("rc" in session) return { caller, ...session };
    if (args.cwd === undefined) made = session.cwd;
    const { maxSessions } = instance.settings();
    const shown = redactArguments({ ...args, cwd: session.cwd });
    const literals = args.mcp_servers.length === 0 ? {} : { literals: JSON.stringify(args.mcp_servers) };
    const command = { verb, args, by, origin, caller, shown };
    instance.mailbox.post(session.id, { type: "start", command, session, maxSessions, ...literals });
    return undefined;
  });
  const answer = await answered;
  // A start that was refused leaves nothing behind. (rmdir: never more than the empty directory that was made.)
  if (made !== undefined && answer.rc >= 10) rmdirSync(made);
  return answer;
};

function lookUp(instance: Instance, { args, ...stamp }: StartCall): NewSession | Answer {
  const sender = senderIn(instance, stamp);
  const beyond = refusalOfArguments(instance, sender, args);
  if (beyond) return beyond;
  if (args.policy !== undefined && !instance.settings().policies.has(args.policy)) {
    return unknownPolicy(instance, args.policy);
  }
  const agent = startableAgent(instance, args.agent);
  if (agent) return agent;
  if (args.mcp_servers.some(({ name }) => name === busToolsName)) {
    const message = `mcp_servers: "${busToolsName}" is the name of the server that leads an agent to the Bus: take another`;
    return refuse("ARGUMENT", message, { field: "mcp_servers" });
  }
  const values = passedValuesOf(instance, [...args.env, ...variablesOf(args.mcp_servers)]);
  if (!values.ok) {
    const field = args.env.includes(values.name) ? "env" : "mcp_servers";
    return refuse("ARGUMENT", values.message, { field, name: values.name });
  }
  if (args.cwd === undefined && args.agent !== "demo") {
    return refuse("ARGUMENT", "cwd: say in which directory the agent works", { field: "cwd" });
  }
  const cwd = args.cwd ?? makeWorkspace(instance);
  if (typeof cwd !== "string") return cwd;
  const workspace = args.cwd === undefined ? cwd : undefined;
  const directories = directoriesFor(instance, sender, { cwd, additionalDirs: args.additional_dirs, workspace });
  if ("rc" in directories) {
    if (args.cwd === undefined) rmdirSync(cwd);
    return directories;
  }
  const parent = sessionOfAgent(stamp.by);
  return {
    id: instance.newSessionId(),
    agent: args.agent,
    ...(args.name === undefined ? {} : { name: args.name }),
    ...directories,
    ...(parent === undefined ? {} : { parent }),
    env: args.env,
    ...(args.policy === undefined ? {} : { policy: args.policy }),
    createdAt: new Date(instance.now()).toISOString(),
  };
}

/** Of all but the directories, which have to be resolved first. */
function refusalOfArguments(instance: Instance, sender: Sender, args: StartCall["args"]): Answer | undefined {
  const { mcp_servers: servers, env, policy, config, name } = args;
  const options = Object.keys(config).map((option) => ({ option }));
  const named = name === undefined ? undefined : { name, leadsTo: targetOfName(instance, sender, name) };
  return checkGrants(instance, sender, { servers, env, policy, options, name: named });
}

export function unknownPolicy(instance: Instance, name: string): Answer {
  const known = [...instance.settings().policies.keys()];
  const has = known.length === 0 ? "has none" : `has ${known.join(", ")}`;
  return refuse("ARGUMENT", `policy: there is no "${name}"; the configuration ${has}`, {
    field: "policy",
    policies: known,
  });
}

/** Of the demo agent, which is started without a directory. */
function makeWorkspace(instance: Instance): string | Answer {
  try {
    return freshWorkspace(instance.workspacesDirectory);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refuse("ARGUMENT", `cwd: no directory could be made (${why}): name one`, { field: "cwd" });
  }
}

/** The refusal where no such agent can be started. */
export function startableAgent(instance: Instance, name: string): Answer | undefined {
  const catalogue = instance.catalogue();
  const definition = catalogue.get(name);
  if (!definition) return refuse("AGENT_UNKNOWN", unknownAgentMessage(name, catalogue), { agent: name });
  const found = findAgent(definition, instance.environment["PATH"]);
  if (found.status === "installed") return undefined;
  const install = definition.install === undefined ? {} : { install: definition.install };
  return refuse("AGENT_UNAVAILABLE", whyNotFound(found), { agent: name, ...install });
}

/**
 * As `directoriesOf`, and judged by who asks. One who may name the directories of its own session alone is told the same
 * of all others, not whether they are there. `workspace`: was made for the session, and has nothing of anybody's.
 */
export function directoriesFor(
  instance: Instance,
  sender: Sender,
  { cwd, additionalDirs, workspace }: Named,
): Directories {
  const found = directoriesOf(instance, cwd, additionalDirs);
  const directories = "rc" in found ? [""] : [found.cwd, ...found.additionalDirs];
  const named = directories.filter((each) => each !== workspace);
  return checkGrants(instance, sender, { directories: named }) ?? found;
}

interface Named {
  readonly cwd: string;
  readonly additionalDirs: readonly string[];
  readonly workspace: string | undefined;
}

type Directories = Answer | { readonly cwd: string; readonly additionalDirs: readonly string[] };

export function directoriesOf(instance: Instance, cwd: string, additionalDirectories: readonly string[]): Directories {
  const { configFile, home, workspacesDirectory, reserved } = instance;
  const { roots } = instance.settings();
  const asked = { cwd, additionalDirectories };
  const resolved = resolveDirectories(asked, { configFile, roots, home, workspacesDirectory, reserved });
  if (resolved.ok) return { cwd: resolved.cwd, additionalDirs: resolved.additionalDirectories };
  const { code, message, ...members } = resolved.refusal;
  return refuse(code, message, members);
}
