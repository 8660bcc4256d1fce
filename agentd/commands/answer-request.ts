// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.permission.answer and agent.elicitation.answer. Request ids are unique over all sessions, so `session` is
// optional.
import type { Answer } from "../../bus-client/index.ts";
import { faultOf, matchesWithin } from "../people/form-content.ts";
import { readForm } from "../people/form.ts";
import { sessionOfRequest } from "../session/session-id.ts";
import { type Call, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { postToSession, withSession } from "./post-command.ts";

export function answerRequest<V extends "agent.permission.answer" | "agent.elicitation.answer">(
  instance: Pick<Instance, "log" | "sessions" | "mailbox" | "callers" | "limits">,
  call: Call<V>,
): Answer | Promise<Answer> {
  const owner = findOwner(instance, call.args);
  if (typeof owner !== "string") return owner;
  const refused = "action" in call.args ? checkContent(instance, owner, call.args) : undefined;
  return refused ?? postToSession(instance, withSession(call, owner), owner);
}

/** Checks a form's content. The session itself reports a request that is not an open elicitation. */
function checkContent(
  { sessions, limits }: Pick<Instance, "sessions" | "limits">,
  owner: string,
  { request, action, content }: Call<"agent.elicitation.answer">["args"],
): Answer | undefined {
  const open = sessions.get(owner)?.requests.find((candidate) => candidate.request === request);
  if (open?.kind !== "elicitation") return undefined;
  const { elicitation } = open;
  if (action !== "accept" || elicitation.mode === "url") {
    if (content === undefined) return undefined;
    return refuse("ARGUMENT", "content: is only for accepting a form", { field: "content" });
  }
  const fault = faultOf(readForm(elicitation.schema), content ?? {}, matchesWithin(limits.formPatternsMs));
  if (!fault) return undefined;
  const field = fault.field === undefined ? "content" : `content.${fault.field}`;
  return refuse("ARGUMENT", `${field}: ${fault.reason}`, { field });
}

function findOwner(
  { log, sessions }: Pick<Instance, "log" | "sessions">,
  { request, session }: Pick<Call<"agent.permission.answer">["args"], "request" | "session">,
): string | Answer {
  const owner = sessionOfRequest(request);
  if (owner === undefined || sessions.get(owner) === undefined) return unknownRequest(request);
  if (session !== undefined) {
    const found = log.sessions.find(session);
    if (found.found !== "one" || found.session !== owner) return unknownRequest(request);
  }
  return owner;
}

export function unknownRequest(request: string) {
  return refuse(
    "REQUEST_UNKNOWN",
    `no request "${request}"; agent.permission.list and agent.elicitation.list show the open ones`,
    { request },
  );
}
