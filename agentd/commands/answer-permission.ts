// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.permission.answer: a request is unique over all sessions, so the session need not be said.
import { type Handler, refuse } from "./call.ts";
import { postCommand } from "./post-command.ts";

export const answerPermission: Handler<"agent.permission.answer"> = (instance, call) => {
  const { request, session } = call.args;
  const owner = sessionOfRequest(request);
  if (owner === undefined || instance.sessions.get(owner) === undefined) return unknownRequest(request);
  if (session !== undefined) {
    const found = instance.log.sessions.find(session);
    if (found.found !== "one" || found.session !== owner) return unknownRequest(request);
  }
  return postCommand(instance, call, owner);
};

/** Of a request's id, which begins with it. */
export function sessionOfRequest(request: string): string | undefined {
  return /^([a-z2-7]{12})-[1-9][0-9]{0,8}$/.exec(request)?.[1];
}

export function unknownRequest(request: string) {
  return refuse("REQUEST_UNKNOWN", `no request "${request}": agent.permission.list has the open ones`, { request });
}
