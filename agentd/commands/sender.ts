// SPDX-License-Identifier: MIT OR Apache-2.0
// Who sends a command of this instance, and whether they may: the model's questions, answered from the log.
import type { Answer } from "../../bus-client/index.ts";
import { findExceededGrant, type Given, noOwnSession, grantRefusal, checkAct } from "../authority/decide.ts";
import { type Sender, senderOf, type Sessions, type Target, targetOf } from "../authority/sender.ts";
import { isLive } from "../session/core/state.ts";
import { type ErrorBody, errorBody } from "../vocabulary/index.ts";
import { type Call, refusal } from "./call.ts";
import type { Instance } from "./instance.ts";

export type Stamp = Pick<Call, "by" | "origin">;

/** The refusal where the sender may not do this to this session; undefined where it may. */
export function checkSender(instance: Instance, { verb, args, ...stamp }: Call): ErrorBody | undefined {
  const sender = senderIn(instance, stamp);
  if ("session" in sender && !isLiveIn(instance, sender.session)) {
    return errorBody(
      "AGENT_SELF",
      "this agent's session has ended, or there is none: its programs may not act any more",
    );
  }
  const target = (): Target | undefined => {
    const found =
      "session" in args && args.session !== undefined ? instance.log.sessions.find(args.session) : undefined;
    return found?.found === "one" ? targetIn(instance, sender, found.session) : undefined;
  };
  return checkAct(sender, verb, target, instance.settings);
}

function isLiveIn({ sessions }: Instance, session: string): boolean {
  const state = sessions.get(session);
  return state !== undefined && isLive(state);
}

/** Without a look into the log, which may be what fails. Whose agent it is makes no difference here. */
export function checkQuit({ settings }: Instance, { by, origin }: Stamp): ErrorBody | undefined {
  return checkAct(senderOf(by, origin, { parentOf: () => null }), "QUIT", () => undefined, settings);
}

export function senderIn(instance: Instance, { by, origin }: Stamp): Sender {
  return senderOf(by, origin, sessionsOf(instance));
}

/** Whom a name reaches now, seen from who would give it to another session. Several: none of them is the sender's alone. */
export function targetOfName(instance: Instance, sender: Sender, name: string): Target | undefined {
  const found = instance.log.sessions.find(name);
  if (found.found === "none") return undefined;
  return found.found === "one" ? targetIn(instance, sender, found.session) : "other";
}

export function targetIn(instance: Instance, sender: Sender, session: string): Target {
  return targetOf(sender, session, sessionsOf(instance));
}

/** The refusal where the sender gives more than it may to a session; undefined where it does not. */
export function checkGrants({ sessions }: Instance, sender: Sender, given: Given): Answer | undefined {
  const state = "session" in sender ? sessions.get(sender.session) : undefined;
  const own = state
    ? { env: state.env, directories: [state.cwd, ...state.additionalDirs], policy: state.policy }
    : noOwnSession;
  const grant = findExceededGrant(sender, given, own);
  return grant && refusal(grantRefusal(grant));
}

function sessionsOf({ log }: Instance): Sessions {
  return {
    parentOf: (session) => log.sessions.row(session)?.parent ?? null,
    starterOf(session) {
      // A session's log begins with the command that started it.
      const first = JSON.parse(log.entries.body(session, 1) ?? "{}") as { readonly by?: string | null };
      return first.by ?? null;
    },
  };
}
