// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.resume: what the session needs to come back is looked up before the decision, as for a start.
import type { Answer } from "../../bus-client/index.ts";
import { passedValuesOf } from "../catalogue/passed-values.ts";
import { isWorkspace } from "../instance/directories.ts";
import type { AskedServer } from "../mcp-servers.ts";
import type { SessionState } from "../session/core/state.ts";
import { findSession, type Handler, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { targetOfName, checkGrants, senderIn, type Stamp, targetIn } from "./sender.ts";
import { directoriesFor, directoriesOf, startableAgent } from "./session-start.ts";
import { redactArguments } from "./redact-arguments.ts";

export const resume: Handler<"agent.session.resume"> = (instance, call) => {
  const session = findSession(instance, call.args.session);
  if (typeof session !== "string") return session;
  const args = { ...call.args, session };
  const { verb, by, origin } = call;
  return instance.callers.ask((caller) => {
    const recalled = instance.mailbox.recall(session, { verb, args, by, caller });
    if (recalled) return recalled === "posted" ? undefined : recalled;
    const state = instance.sessions.get(session);
    const found = state ? lookUp(instance, call, state) : refuse("SESSION_UNKNOWN", "no such session", { session });
    if ("rc" in found) return { caller, ...found };
    instance.mailbox.post(session, {
      type: "resume",
      command: { verb, args, by, origin, caller, shown: redactArguments(args) },
      directories: found,
      maxSessions: instance.settings().maxSessions,
    });
    return undefined;
  });
};

type Found = Answer | Pick<SessionState, "cwd" | "additionalDirs">;

/** A live session is refused by its own decision; here only what is outside of it is looked at. */
function lookUp(instance: Instance, stamp: Stamp, state: SessionState): Found {
  const directories = lookUpDirectories(instance, stamp, state);
  if ("rc" in directories) return directories;
  const agent = startableAgent(instance, state.agent);
  if (agent) return agent;
  const values = passedValuesOf(instance, state.env);
  if (!values.ok) return refuse("ARGUMENT", values.message, { field: "env", name: values.name });
  return directories;
}

/** What a session was given by its own start, an agent that brings it back gives to it: no more than at a start. */
function lookUpDirectories(instance: Instance, stamp: Stamp, state: SessionState): Found {
  const sender = senderIn(instance, stamp);
  // With `agents_act = "any"`, what people gave to a session of their own.
  if (targetIn(instance, sender, state.id) !== "started") {
    return directoriesOf(instance, state.cwd, state.additionalDirs);
  }
  const servers = JSON.parse(instance.log.literals(state.id) ?? "[]") as AskedServer[];
  const { env, policy, name } = state;
  // Another session may have come to bear its name while it had ended.
  const named = name === undefined ? undefined : { name, leadsTo: targetOfName(instance, sender, name) };
  const beyond = checkGrants(instance, sender, { servers, env, policy, name: named });
  if (beyond) return beyond;
  const workspace = isWorkspace(state.cwd, instance.workspacesDirectory) ? state.cwd : undefined;
  return directoriesFor(instance, sender, { ...state, workspace });
}
