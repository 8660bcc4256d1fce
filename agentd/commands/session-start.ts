// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.start: what must be looked up (program, directories, variables) is looked up before the decision, so
// that an accepted start is refused by nothing but the agent itself.
import { rmdirSync } from "node:fs";
import type { Answer } from "../../bus-client/index.ts";
import { unknownAgentMessage } from "../catalogue/catalogue.ts";
import { findAgent, whyNotFound } from "../catalogue/find-program.ts";
import { passedValuesOf } from "../catalogue/passed-values.ts";
import { variablesOf } from "../mcp-servers.ts";
import { freshWorkspace, resolveDirectories } from "../instance/directories.ts";
import type { NewSession } from "../session/state.ts";
import { busToolsName, instanceSession } from "../vocabulary/index.ts";
import { type Call, type Handler, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { agentSession } from "./own-agent.ts";
import { scrubbed } from "./shown-arguments.ts";

type StartCall = Call<"agent.session.start">;

export const start: Handler<"agent.session.start"> = async (instance, call) => {
  const { args, verb, by, origin } = call;
  let made: string | undefined;
  const answered = instance.callers.ask((caller) => {
    // A retry is answered before anything is looked up: what held then need not hold now.
    const recalled = instance.mailbox.recall(instanceSession, verb, args, caller);
    if (recalled) return recalled === "posted" ? undefined : recalled;
    const session = lookUp(instance, call);
    if ("rc" in session) return { caller, ...session };
    if (args.cwd === undefined) made = session.cwd;
    const { maxSessions } = instance.settings();
    const shown = scrubbed({ ...args, cwd: session.cwd });
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

function lookUp(instance: Instance, { args, by }: StartCall): NewSession | Answer {
  const policy = args.policy === undefined ? undefined : whyNotPolicy(instance, args.policy, agentSession(by));
  if (policy) return policy;
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
  const directories = directoriesOf(instance, cwd, args.additional_dirs);
  if ("rc" in directories) {
    if (args.cwd === undefined) rmdirSync(cwd);
    return directories;
  }
  const parent = agentSession(by);
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

/** An agent whose questions go to people must not have them answered in a session that it starts for itself. */
function whyNotPolicy(instance: Instance, name: string, own: string | undefined): Answer | undefined {
  if (own !== undefined && instance.sessions.get(own)?.policy !== name) {
    return refuse("AGENT_SELF", "an agent may give no other policy than its own to what it starts", {
      field: "policy",
    });
  }
  return instance.settings().policies.has(name) ? undefined : unknownPolicy(instance, name);
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

export function directoriesOf(
  instance: Instance,
  cwd: string,
  additionalDirectories: readonly string[],
): Answer | { cwd: string; additionalDirs: readonly string[] } {
  const { configFile, home, stateDirectory, workspacesDirectory } = instance;
  const { roots } = instance.settings();
  const asked = { cwd, additionalDirectories };
  const resolved = resolveDirectories(asked, { configFile, roots, home, stateDirectory, workspacesDirectory });
  if (resolved.ok) return { cwd: resolved.cwd, additionalDirs: resolved.additionalDirectories };
  const { code, message, ...members } = resolved.refusal;
  return refuse(code, message, members);
}
