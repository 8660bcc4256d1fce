// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.start: looks up program, directories and variables before the decision, so that only the agent itself
// can fail an accepted start.
import { rmdirSync } from "node:fs";
import type { Answer } from "../../bus-client/index.ts";
import { definitionOf, unknownAgentMessage } from "../catalogue/catalogue.ts";
import { findAgent, notFoundMessage } from "../catalogue/find-program.ts";
import { sessionOfAgent, type Sender } from "../authority/sender.ts";
import { variablesOf } from "../mcp-servers.ts";
import { freshWorkspace, realPathOf, resolveDirectories } from "../instance/directories.ts";
import type { NewSession } from "../session/core/state.ts";
import { busToolsName, instanceSession } from "../vocabulary/index.ts";
import { type Call, type Handler, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { checkCapabilities } from "./check-capabilities.ts";
import { checkGrants, identifySender, targetOfName } from "./sender.ts";
import { postLookedUp, toCommand } from "./post-command.ts";

type StartCall = Call<"agent.session.start">;

type Starter = Pick<
  Instance,
  | "log"
  | "sessions"
  | "settings"
  | "catalogue"
  | "capabilities"
  | "places"
  | "passedValues"
  | "directoryRules"
  | "newSessionId"
  | "clock"
>;

export const start: Handler<"agent.session.start", keyof Starter | "mailbox" | "callers"> = async (instance, call) => {
  const { args } = call;
  let workspace: string | undefined;
  const answer = await postLookedUp(instance, call, instanceSession, (caller) => {
    const session = lookUp(instance, call);
    if ("rc" in session) return session;
    if (args.cwd === undefined) workspace = session.cwd;
    const literals = args.mcp_servers.length === 0 ? {} : { literals: JSON.stringify(args.mcp_servers) };
    const command = toCommand(call, caller, { ...args, cwd: session.cwd });
    return { session: session.id, input: { type: "start", command, session, ...literals } };
  });
  // A refused start leaves nothing behind. rmdir removes only an empty directory.
  if (workspace !== undefined && answer.rc >= 10) rmdirSync(workspace);
  return answer;
};

function lookUp(instance: Starter, { args, ...stamp }: StartCall): NewSession | Answer {
  const sender = identifySender(instance, stamp);
  const refused = checkArguments(instance, sender, args);
  if (refused) return refused;
  if (args.policy !== undefined && !instance.settings().policies.has(args.policy)) {
    return unknownPolicy(instance, args.policy);
  }
  const sessionDirectories = [...(args.cwd === undefined ? [] : [args.cwd]), ...args.additional_dirs];
  const agent = checkAgent(instance, args, sessionDirectories);
  if (agent) return agent;
  if (args.mcp_servers.some(({ name }) => name === busToolsName)) {
    const message = `mcp_servers: the name "${busToolsName}" is reserved for the server that agentd adds; choose another`;
    return refuse("ARGUMENT", message, { field: "mcp_servers" });
  }
  const values = instance.passedValues([...args.env, ...variablesOf(args.mcp_servers)]);
  if (!values.ok) {
    const field = args.env.includes(values.name) ? "env" : "mcp_servers";
    return refuse("ARGUMENT", values.message, { field, name: values.name });
  }
  if (args.cwd === undefined && (args.agent !== "demo" || args.command !== undefined)) {
    return refuse("ARGUMENT", "cwd: give the directory in which the agent works", { field: "cwd" });
  }
  const cwd = args.cwd ?? makeWorkspace(instance);
  if (typeof cwd !== "string") return cwd;
  const workspace = args.cwd === undefined ? cwd : undefined;
  const allowed = resolveAllowedDirectories(instance, sender, { cwd, additionalDirs: args.additional_dirs, workspace });
  const directories = "rc" in allowed ? allowed : (checkWanted(instance, args, allowed) ?? allowed);
  if ("rc" in directories) {
    if (args.cwd === undefined) rmdirSync(cwd);
    return directories;
  }
  const parent = sessionOfAgent(stamp.by);
  return {
    id: instance.newSessionId(),
    agent: args.agent,
    ...(args.command === undefined ? {} : { command: args.command }),
    ...(args.name === undefined ? {} : { name: args.name }),
    ...directories,
    ...(parent === undefined ? {} : { parent }),
    env: args.env,
    ...(args.policy === undefined ? {} : { policy: args.policy }),
    createdAt: new Date(instance.clock.now()).toISOString(),
  };
}

/** Checks all arguments but the directories, which have to be resolved first. */
function checkArguments(
  instance: Pick<Instance, "log" | "sessions">,
  sender: Sender,
  args: StartCall["args"],
): Answer | undefined {
  const { command, mcp_servers: servers, env, policy, config, name } = args;
  const options = Object.keys(config).map((option) => ({ option }));
  const named = name === undefined ? undefined : { name, leadsTo: targetOfName(instance, sender, name) };
  return checkGrants(instance, sender, { program: command?.[0], servers, env, policy, options, name: named });
}

/** Comes after the grants, so that an agent hears first what it may not give. */
function checkWanted(
  instance: Starter,
  args: StartCall["args"],
  { cwd, additionalDirs }: Pick<NewSession, "cwd" | "additionalDirs">,
): Answer | undefined {
  const { mcp_servers: servers, prompt } = args;
  return checkCapabilities(instance, args, [cwd, ...additionalDirs], { additionalDirs, servers, prompt });
}

export function unknownPolicy({ settings }: Pick<Instance, "settings">, name: string): Answer {
  const known = [...settings().policies.keys()];
  return refuse("ARGUMENT", `policy: there is no "${name}"; there are ${known.join(", ")}`, {
    field: "policy",
    policies: known,
  });
}

/** Makes a directory for the demo agent, the only one that may be started without one. */
function makeWorkspace({ directoryRules }: Pick<Instance, "directoryRules">): string | Answer {
  try {
    return freshWorkspace(directoryRules().workspacesDirectory);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refuse("ARGUMENT", `cwd: no directory could be made (${why}); give one`, { field: "cwd" });
  }
}

/** Returns the error if the agent is unknown or not installed. The session's directories need not be resolved yet. */
export function checkAgent(
  instance: Pick<Instance, "catalogue" | "places">,
  agent: Pick<NewSession, "agent" | "command">,
  sessionDirectories: readonly string[],
): Answer | undefined {
  const catalogue = instance.catalogue();
  const { agent: name } = agent;
  const definition = definitionOf(catalogue, agent);
  if (!definition) return refuse("AGENT_UNKNOWN", unknownAgentMessage(name, catalogue), { agent: name });
  const directories = sessionDirectories.flatMap((directory) => realPathOf(directory) ?? []);
  const found = findAgent(definition, instance.places, directories);
  if (found.status === "installed") return undefined;
  const install = definition.install === undefined ? {} : { install: definition.install };
  return refuse("AGENT_UNAVAILABLE", notFoundMessage(found), { agent: name, ...install });
}

/**
 * Resolves the directories, and checks that the sender may give them. A sender that may give only those of its own
 * session gets the same error for all others, whether or not they exist. `workspace` was made for the session and is
 * always allowed.
 */
export function resolveAllowedDirectories(
  instance: Pick<Instance, "sessions" | "directoryRules">,
  sender: Sender,
  { cwd, additionalDirs, workspace }: Pick<NewSession, "cwd" | "additionalDirs"> & { workspace: string | undefined },
): ResolvedDirectories {
  const found = resolveSessionDirectories(instance, cwd, additionalDirs);
  const directories = "rc" in found ? [""] : [found.cwd, ...found.additionalDirs];
  const named = directories.filter((each) => each !== workspace);
  return checkGrants(instance, sender, { directories: named }) ?? found;
}

export type ResolvedDirectories = Answer | Pick<NewSession, "cwd" | "additionalDirs">;

export function resolveSessionDirectories(
  { directoryRules }: Pick<Instance, "directoryRules">,
  cwd: string,
  additionalDirectories: readonly string[],
): ResolvedDirectories {
  const resolved = resolveDirectories({ cwd, additionalDirectories }, directoryRules());
  if (resolved.ok) return { cwd: resolved.cwd, additionalDirs: resolved.additionalDirectories };
  const { code, message, ...members } = resolved.refusal;
  return refuse(code, message, members);
}
