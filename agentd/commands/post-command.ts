// SPDX-License-Identifier: MIT OR Apache-2.0
// Posts an acting command to the mailbox and waits for its reply.
import type { Answer } from "../../bus-client/index.ts";
import type { SessionCommand } from "../session/core/input.ts";
import { type Call, findSession } from "./call.ts";
import type { Instance } from "./instance.ts";
import { redactArguments } from "./redact-arguments.ts";

type SessionVerb = SessionCommand["verb"];

/** `reference`: id, name or prefix. The command carries the id, so that retries are the same command. */
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

/** `session`: an id, or the instance for commands that concern no session. */
export function postToSession<V extends SessionVerb>(
  instance: Instance,
  call: Call<V>,
  session: string,
): Promise<Answer> {
  const { verb, args, by, origin } = call;
  return instance.callers.ask((caller) => {
    const command = {
      verb,
      args,
      by,
      origin,
      caller,
      redactedArgs: redactArguments(args),
    } as unknown as SessionCommand;
    instance.mailbox.post(session, { type: "command", command });
    return undefined;
  });
}

/** Handles the verbs that the session's step decides without further lookups. */
export function handleInSession<
  V extends "agent.session.prompt" | "agent.session.cancel" | "agent.session.set_config" | "agent.session.close",
>(instance: Instance, call: Call<V>): Answer | Promise<Answer> {
  return postCommand(instance, call, call.args.session);
}
