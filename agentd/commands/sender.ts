// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks whether the sender of a command may run it: the authority model, applied to this instance's log and sessions.
import type { Answer } from "../../bus-client/index.ts";
import { findExceededGrant, type Given, noOwnSession, grantRefusal, checkAct } from "../authority/decide.ts";
import { type Sender, senderOf, type Sessions, type Target, targetOf } from "../authority/sender.ts";
import { isLive } from "../session/core/state.ts";
import { type ErrorBody, errorBody } from "../vocabulary/index.ts";
import { type Call, refusal } from "./call.ts";
import type { Instance } from "./instance.ts";

type Sight = Pick<Instance, "log" | "sessions">;
export type Stamp = Pick<Call, "by" | "origin">;

export function checkSender(
  instance: Sight & Pick<Instance, "settings">,
  { verb, args, ...stamp }: Call,
): ErrorBody | undefined {
  const sender = identifySender(instance, stamp);
  if ("session" in sender && !isLiveIn(instance, sender.session)) {
    return errorBody("AGENT_SELF", "this agent's session has ended or does not exist; its programs may no longer act");
  }
  const target = (): Target | undefined => {
    const found =
      "session" in args && args.session !== undefined ? instance.log.sessions.find(args.session) : undefined;
    return found?.found === "one" ? targetIn(instance, sender, found.session) : undefined;
  };
  return checkAct(sender, verb, target, instance.settings);
}

function isLiveIn({ sessions }: Sight, session: string): boolean {
  const state = sessions.get(session);
  return state !== undefined && isLive(state);
}

/** Does not read the log, which may be what fails. QUIT's rule is the same for all agents. */
export function checkQuit({ settings }: Pick<Instance, "settings">, { by, origin }: Stamp): ErrorBody | undefined {
  return checkAct(senderOf(by, origin, { parentOf: () => null }), "QUIT", () => undefined, settings);
}

export function identifySender(instance: Pick<Instance, "log">, { by, origin }: Stamp): Sender {
  return senderOf(by, origin, sessionsOf(instance));
}

/** Returns the session that a name or prefix resolves to now, as seen by the sender; `other` if it is ambiguous. */
export function targetOfName(instance: Pick<Instance, "log">, sender: Sender, name: string): Target | undefined {
  const found = instance.log.sessions.find(name);
  if (found.found === "none") return undefined;
  return found.found === "one" ? targetIn(instance, sender, found.session) : "other";
}

export function targetIn(instance: Pick<Instance, "log">, sender: Sender, session: string): Target {
  return targetOf(sender, session, sessionsOf(instance));
}

export function checkGrants(
  { sessions }: Pick<Instance, "sessions">,
  sender: Sender,
  given: Given,
): Answer | undefined {
  const state = "session" in sender ? sessions.get(sender.session) : undefined;
  const own = state
    ? { env: state.env, directories: [state.cwd, ...state.additionalDirs], policy: state.policy }
    : noOwnSession;
  const grant = findExceededGrant(sender, given, own);
  return grant && refusal(grantRefusal(sender, grant));
}

function sessionsOf({ log }: Pick<Instance, "log">): Sessions {
  return {
    parentOf: (session) => log.sessions.row(session)?.parent ?? null,
    starterOf(session) {
      // The first entry of a session is the command that started it.
      const first = JSON.parse(log.entries.body(session, 1) ?? "{}") as { readonly by?: string | null };
      return first.by ?? null;
    },
  };
}
