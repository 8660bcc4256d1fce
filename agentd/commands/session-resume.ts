// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.resume: looks up program, directories and variables before the decision, as a start does.
import { isWorkspace } from "../instance/directories.ts";
import type { RequestedServer } from "../mcp-servers.ts";
import type { SessionState } from "../session/core/state.ts";
import { checkCapabilities } from "./check-capabilities.ts";
import { findSession, type Handler, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { targetOfName, checkGrants, identifySender, type Stamp, targetIn } from "./sender.ts";
import {
  checkAgent,
  resolveAllowedDirectories,
  type ResolvedDirectories,
  resolveSessionDirectories,
} from "./session-start.ts";
import { postLookedUp, toCommand, withSession } from "./post-command.ts";

type Looker = Pick<
  Instance,
  "log" | "sessions" | "catalogue" | "capabilities" | "places" | "passedValues" | "directoryRules"
>;

export const resume: Handler<"agent.session.resume", keyof Looker | "settings" | "mailbox" | "callers"> = (
  instance,
  call,
) => {
  const session = findSession(instance, call.args.session);
  if (typeof session !== "string") return session;
  const resolved = withSession(call, session);
  return postLookedUp(instance, resolved, session, (caller) => {
    const state = instance.sessions.get(session);
    const found = state ? lookUp(instance, call, state) : refuse("SESSION_UNKNOWN", "no such session", { session });
    if ("rc" in found) return found;
    return {
      session,
      input: { type: "resume", command: toCommand(resolved, caller), directories: found },
    };
  });
};

/** Checks only what is outside the session. The session itself refuses a resume while it is live. */
function lookUp(instance: Looker, stamp: Stamp, state: SessionState): ResolvedDirectories {
  const directories = lookUpDirectories(instance, stamp, state);
  if ("rc" in directories) return directories;
  const sessionDirectories = [directories.cwd, ...directories.additionalDirs];
  const agent = checkAgent(instance, state, sessionDirectories);
  if (agent) return agent;
  const { additionalDirs } = state;
  const unsupported = checkCapabilities(instance, state, sessionDirectories, {
    additionalDirs,
    servers: serversOf(instance, state),
  });
  if (unsupported) return unsupported;
  const values = instance.passedValues(state.env);
  if (!values.ok) return refuse("ARGUMENT", values.message, { field: "env", name: values.name });
  return directories;
}

function serversOf({ log }: Pick<Instance, "log">, { id }: SessionState): RequestedServer[] {
  return JSON.parse(log.literals(id) ?? "[]") as RequestedServer[];
}

/** An agent that resumes a session may give it no more than at a start, even though the session already has it. */
function lookUpDirectories(instance: Looker, stamp: Stamp, state: SessionState): ResolvedDirectories {
  const sender = identifySender(instance, stamp);
  // With `agents_act = "any"`, an agent may resume a person's session with what that person gave it.
  if (targetIn(instance, sender, state.id) !== "started") {
    return resolveSessionDirectories(instance, state.cwd, state.additionalDirs);
  }
  const servers = serversOf(instance, state);
  const { env, policy, name } = state;
  // Another session may have taken its name in the meantime.
  const named = name === undefined ? undefined : { name, leadsTo: targetOfName(instance, sender, name) };
  const refused = checkGrants(instance, sender, { servers, env, policy, name: named });
  if (refused) return refused;
  const workspace = isWorkspace(state.cwd, instance.directoryRules().workspacesDirectory) ? state.cwd : undefined;
  return resolveAllowedDirectories(instance, sender, { ...state, workspace });
}
