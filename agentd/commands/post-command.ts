// SPDX-License-Identifier: MIT OR Apache-2.0
// Hands an acting command to the mailbox and waits for its reply.
import type { Answer } from "../../bus-client/index.ts";
import type { SessionCommand } from "../session/core/input.ts";
import { type Call, findSession } from "./call.ts";
import type { Instance } from "./instance.ts";
import { redactArguments } from "./redact-arguments.ts";

type SessionVerb = SessionCommand["verb"];

/** `reference`: what the caller calls the session; the command's id is compared with the session it means. */
export function postCommand<V extends SessionVerb>(
  instance: Instance,
  call: Call<V>,
  reference: string,
): Answer | Promise<Answer> {
  const session = findSession(instance, reference);
  return typeof session === "string"
    ? postToSession(instance, { ...call, args: { ...call.args, session } }, session)
    : session;
}

/** `session`: an id, or the instance for what concerns no session. */
export function postToSession<V extends SessionVerb>(
  instance: Instance,
  call: Call<V>,
  session: string,
): Promise<Answer> {
  const { verb, args, by, origin } = call;
  return instance.callers.ask((caller) => {
    const command = { verb, args, by, origin, caller, shown: redactArguments(args) } as unknown as SessionCommand;
    instance.mailbox.post(session, { type: "command", command });
    return undefined;
  });
}

/** The handler of the verbs that a session decides by itself. */
export function handleInSession<
  V extends "agent.session.prompt" | "agent.session.cancel" | "agent.session.set_config" | "agent.session.close",
>(instance: Instance, call: Call<V>): Answer | Promise<Answer> {
  return postCommand(instance, call, call.args.session);
}
