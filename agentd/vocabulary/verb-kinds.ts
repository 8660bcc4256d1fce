// SPDX-License-Identifier: MIT OR Apache-2.0
// When each verb is answered, and the arguments of a permission's answer.
import * as z from "zod";

/** `at_once`: command, receipt and reply are one commit. `when_done`: the reply is a later commit. `reading`: no commit. */
export type ReplyKind = "reading" | "at_once" | "when_done";

const replyKinds: Readonly<Record<string, ReplyKind>> = {
  "agent.session.start": "at_once",
  "agent.session.resume": "at_once",
  "agent.session.prompt": "at_once",
  "agent.session.cancel": "at_once",
  "agent.session.close": "at_once",
  "agent.permission.answer": "at_once",
  "agent.elicitation.answer": "at_once",
  "agent.session.set_config": "when_done",
  "agent.session.purge": "when_done",
  "agent.log.prune": "when_done",
  "agent.log.redact": "when_done",
};

export function replyKindOf(verb: string): ReplyKind {
  return replyKinds[verb] ?? "reading";
}

/** Either one of the offered options, or `cancelled: true`. The session is optional, since request ids are unique. */
export function permissionAnswerArgs(commandId: z.ZodString, session: z.ZodString) {
  const head = { command_id: commandId.optional(), session: session.optional(), request: z.string().min(1) };
  return z.union([
    z.strictObject({ ...head, option: z.string() }),
    z.strictObject({ ...head, cancelled: z.literal(true) }),
  ]);
}
