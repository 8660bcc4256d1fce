// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.rename: checks that the sender may give the name. The mailbox checks that it is free.
import { findSession, type Handler } from "./call.ts";
import { postLookedUp, toCommand, withSession } from "./post-command.ts";
import { checkGrants, identifySender, targetOfName } from "./sender.ts";

export const rename: Handler<"agent.session.rename", "log" | "sessions" | "mailbox" | "callers"> = (instance, call) => {
  const session = findSession(instance, call.args.session);
  if (typeof session !== "string") return session;
  const resolved = withSession(call, session);
  return postLookedUp(instance, resolved, session, (caller) => {
    const { name } = call.args;
    const sender = identifySender(instance, call);
    const named = name === "" ? undefined : { name, leadsTo: targetOfName(instance, sender, name) };
    const refused = checkGrants(instance, sender, { name: named });
    return refused ?? { session, input: { type: "command", command: toCommand(resolved, caller) } };
  });
};
