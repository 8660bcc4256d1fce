// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.permission.answer and agent.elicitation.answer. Request ids are unique over all sessions, so `session` is
// optional.
import type { Answer } from "../../bus-client/index.ts";
import { faultOf } from "../people/form-content.ts";
import { readForm } from "../people/form.ts";
import { matchesWithin } from "../people/pattern.ts";
import { sessionOfRequest } from "../session/session-id.ts";
import { type Call, type Handler, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { postToSession, withSession } from "./post-command.ts";

type Needs = "log" | "sessions" | "mailbox" | "callers";

export const answerPermission: Handler<"agent.permission.answer", Needs> = (instance, call) => {
  const owner = findOwner(instance, call.args);
  return typeof owner === "string" ? postToSession(instance, withSession(call, owner), owner) : owner;
};

export const answerElicitation: Handler<"agent.elicitation.answer", Needs | "limits"> = (instance, call) => {
  const owner = findOwner(instance, call.args);
  if (typeof owner !== "string") return owner;
  const { args } = call;
  const post = () => postToSession(instance, withSession(call, owner), owner);
  const open = instance.sessions.get(owner)?.requests.find(({ request }) => request === args.request);
  // The session itself reports a request that is not an open elicitation.
  if (open?.kind !== "elicitation") return post();
  const { elicitation } = open;
  if (args.content !== undefined && (args.action !== "accept" || elicitation.mode === "url")) {
    return refuse("ARGUMENT", "content: is only for accepting a form", { field: "content" });
  }
  if (args.action !== "accept" || elicitation.mode === "url") return post();
  const { formPatternsMs } = instance.limits;
  const fault = faultOf(readForm(elicitation.schema), args.content ?? {}, matchesWithin(formPatternsMs));
  if (!fault) return post();
  const field = fault.field === undefined ? "content" : `content.${fault.field}`;
  return refuse("ARGUMENT", `${field}: ${fault.reason}`, { field });
};

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
