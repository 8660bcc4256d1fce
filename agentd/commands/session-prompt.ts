// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.prompt. The session judges the blocks by what its agent reported; before that, the catalogue does.
import type { SessionCommand } from "../session/core/input.ts";
import { findSession, type Handler } from "./call.ts";
import { checkCapabilities } from "./check-capabilities.ts";
import { postLookedUp, postToSession, toCommand, withSession } from "./post-command.ts";

type Prompter = "log" | "sessions" | "catalogue" | "capabilities" | "places" | "mailbox" | "callers";

export const prompt: Handler<"agent.session.prompt", Prompter> = (instance, call) => {
  const session = findSession(instance, call.args.session);
  if (typeof session !== "string") return session;
  const resolved = withSession(call, session);
  const state = instance.sessions.get(session);
  if (state === undefined || state.agentSide !== null) return postToSession(instance, resolved, session);
  return postLookedUp(instance, resolved, session, (caller) => {
    const unsupported = checkCapabilities(instance, state, [state.cwd, ...state.additionalDirs], {
      prompt: call.args.prompt,
    });
    if (unsupported) return unsupported;
    const command = toCommand(resolved, caller) as unknown as SessionCommand;
    return { session, input: { type: "command", command } };
  });
};
