// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.resume: looks up program, directories and variables before the decision, as a start does.
import type { Answer } from "../../bus-client/index.ts";
import { lookUpPassedValues } from "../catalogue/passed-values.ts";
import { isWorkspace } from "../instance/directories.ts";
import type { RequestedServer } from "../mcp-servers.ts";
import type { SessionState } from "../session/core/state.ts";
import { findSession, type Handler, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { targetOfName, checkGrants, identifySender, type Stamp, targetIn } from "./sender.ts";
import { resolveAllowedDirectories, resolveSessionDirectories, checkAgent } from "./session-start.ts";
import { redactArguments } from "./redact-arguments.ts";

export const resume: Handler<"agent.session.resume"> = (instance, call) => {
  const session = findSession(instance, call.args.session);
  if (typeof session !== "string") return session;
  const args = { ...call.args, session };
  const { verb, by, origin } = call;
  return instance.callers.ask((caller) => {
    const recalled = instance.mailbox.findReply(session, { verb, args, by, caller });
    if (recalled) return recalled === "pending" ? undefined : recalled;
    const state = instance.sessions.get(session);
    const found = state ? lookUp(instance, call, state) : refuse("SESSION_UNKNOWN", "no such session", { session });
    if ("rc" in found) return { caller, ...found };
    instance.mailbox.post(session, {
      type: "resume",
      command: { verb, args, by, origin, caller, redactedArgs: redactArguments(args) },
      directories: found,
      maxSessions: instance.settings().maxSessions,
    });
    return undefined;
  });
};

type ResolvedDirectories = Answer | Pick<SessionState, "cwd" | "additionalDirs">;

/** Checks only what is outside the session. The session itself refuses a resume while it is live. */
function lookUp(instance: Instance, stamp: Stamp, state: SessionState): ResolvedDirectories {
  const directories = lookUpDirectories(instance, stamp, state);
  if ("rc" in directories) return directories;
  const agent = checkAgent(instance, state.agent);
  if (agent) return agent;
  const values = lookUpPassedValues(instance, state.env);
  if (!values.ok) return refuse("ARGUMENT", values.message, { field: "env", name: values.name });
  return directories;
}

/** An agent that resumes a session may give it no more than at a start, even though the session already has it. */
function lookUpDirectories(instance: Instance, stamp: Stamp, state: SessionState): ResolvedDirectories {
  const sender = identifySender(instance, stamp);
  // With `agents_act = "any"`, an agent may resume a person's session with what that person gave it.
  if (targetIn(instance, sender, state.id) !== "started") {
    return resolveSessionDirectories(instance, state.cwd, state.additionalDirs);
  }
  const servers = JSON.parse(instance.log.literals(state.id) ?? "[]") as RequestedServer[];
  const { env, policy, name } = state;
  // Another session may have taken its name in the meantime.
  const named = name === undefined ? undefined : { name, leadsTo: targetOfName(instance, sender, name) };
  const refused = checkGrants(instance, sender, { servers, env, policy, name: named });
  if (refused) return refused;
  const workspace = isWorkspace(state.cwd, instance.workspacesDirectory) ? state.cwd : undefined;
  return resolveAllowedDirectories(instance, sender, { ...state, workspace });
}
