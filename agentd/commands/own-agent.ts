// SPDX-License-Identifier: MIT OR Apache-2.0
// What a session's agent may not do. It is known by the name that its programs bear on the Bus, which the broker stamps:
// it must not answer for people, steer itself, or end or rewrite the instance.
import { isActing, isAgentsOwn, type Verb } from "../vocabulary/index.ts";
import { errorBody, type ErrorBody } from "../vocabulary/errors.ts";

/** What the rules need to know of sessions. */
export interface Sessions {
  /** The session that an id, a name or a unique prefix means. */
  find(reference: string): string | undefined;
  /** The session whose agent started this one. */
  parentOf(session: string): string | null;
}

/** The session whose agent a sender belongs to. */
export function agentSession(by: string | null): string | undefined {
  return by === null ? undefined : /^mcp-s-([a-z2-7]{12})-/.exec(by)?.[1];
}

const rewritesInstance: ReadonlySet<Verb> = new Set(["agent.session.purge", "agent.log.prune", "agent.log.redact"]);
const answersForPeople: ReadonlySet<Verb> = new Set(["agent.permission.answer", "agent.elicitation.answer"]);
const startsAgents: ReadonlySet<Verb> = new Set(["agent.session.start", "agent.session.resume"]);

/** The refusal, where the sender is an agent that may not do this. Names and prefixes are looked up: none slips by. */
export function whyNotByAgent(
  by: string | null,
  verb: Verb,
  args: Readonly<Record<string, unknown>>,
  sessions: Sessions,
): ErrorBody | undefined {
  // Not its child's question either: two agents that say yes to each other would need nobody.
  if (by !== null && isAgentsOwn(by) && answersForPeople.has(verb)) {
    return errorBody("AGENT_SELF", "an agent's own program may not answer for people");
  }
  const own = agentSession(by);
  if (own === undefined || !isActing(verb)) return undefined;
  if (rewritesInstance.has(verb)) return errorBody("AGENT_SELF", "an agent may not take anything out of the log");
  if (startsAgents.has(verb) && sessions.parentOf(own) !== null) {
    return errorBody("AGENT_DEPTH", "a session that an agent started may not start sessions itself");
  }
  const { session } = args;
  return typeof session === "string" && sessions.find(session) === own
    ? errorBody("AGENT_SELF", "an agent may not act on its own session", { session: own })
    : undefined;
}
