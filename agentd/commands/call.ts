// SPDX-License-Identifier: MIT OR Apache-2.0
// A parsed call of a verb, and helpers for its reply.
import type { Answer } from "../../bus-client/index.ts";
import { stringifyJson } from "../../json/raw-json.ts";
import {
  type ErrorBody,
  errorBody,
  type ErrorCode,
  instanceSession,
  type Verb,
  type VerbArguments,
} from "../vocabulary/index.ts";
import type { Instance } from "./instance.ts";

export interface Call<V extends Verb = Verb> {
  readonly verb: V;
  readonly args: VerbArguments<V>;
  /** The sender's name as the broker stamped it; null for an unregistered sender. */
  readonly by: string | null;
  readonly origin: "local" | "mesh";
}

/** `Needs`: the parts of agentd that it uses. */
export type Handler<V extends Verb, Needs extends keyof Instance = keyof Instance> = (
  instance: Pick<Instance, Needs>,
  call: Call<V>,
) => Answer | Promise<Answer>;

export function ok(value: object): Answer {
  return { rc: 0, body: stringifyJson(value) };
}

export function refusal(body: ErrorBody): Answer {
  return { rc: 10, body: stringifyJson(body) };
}

export function refuse(code: ErrorCode, message: string, members: Readonly<Record<string, unknown>> = {}): Answer {
  return refusal(errorBody(code, message, members));
}

/** Resolves an id, a name or a unique prefix to the session's id, or returns the error reply. */
export function findSession(instance: Pick<Instance, "log">, reference: string): string | Answer {
  if (reference === instanceSession)
    return refuse("SESSION_UNKNOWN", "the instance is not a session of an agent", { session: reference });
  return findSessionOrInstance(instance, reference);
}

/** Does the same, but also accepts the instance, which has a log too. */
export function findSessionOrInstance({ log }: Pick<Instance, "log">, reference: string): string | Answer {
  const found = log.sessions.find(reference);
  switch (found.found) {
    case "one":
      return found.session;
    case "none":
      return refuse("SESSION_UNKNOWN", `no session "${reference}"`, { session: reference });
    case "several": {
      const message = `several sessions begin with "${reference}"; give more of the id`;
      return refuse("SESSION_UNKNOWN", message, { session: reference, sessions: found.sessions });
    }
  }
}
