// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.attach and detach: leases of a session's editors. They are neither logged nor given receipts.
import { isLive, phaseOf } from "../session/core/state.ts";
import type { AttachReply, DetachReply } from "../vocabulary/index.ts";
import { type Call, findSession, type Handler, ok, refuse } from "./call.ts";
import { snapshotOf } from "./session-get.ts";

export const attach: Handler<"agent.session.attach", "log" | "sessions" | "leases"> = (instance, call) => {
  const { citizen, offers, keep_running: keepRunning } = call.args;
  const session = findSession(instance, call.args.session);
  if (typeof session !== "string") return session;
  if (!isOwnName(call)) return refuseName();
  const state = instance.sessions.get(session);
  const snapshot = snapshotOf(instance, session);
  if (!state || !snapshot) return refuse("SESSION_UNKNOWN", `"${session}" is not a session of an agent`, { session });
  if (!isLive(state)) {
    const phase = phaseOf(state);
    return refuse("SESSION_STATE", `the session is ${phase}: resume it, then attach`, { state: phase });
  }
  if (!instance.leases.attach({ session, citizen, offers, keepRunning })) {
    return refuse("BUSY", "too many editors are attached to sessions; detach some");
  }
  return ok({ session, snapshot } satisfies AttachReply);
};

export const detach: Handler<"agent.session.detach", "log" | "leases"> = (instance, call) => {
  const session = findSession(instance, call.args.session);
  if (typeof session !== "string") return session;
  if (!isOwnName(call)) return refuseName();
  return ok({ session, detached: instance.leases.detach(session, call.args.citizen) } satisfies DetachReply);
};

function isOwnName({ args, by }: Call<"agent.session.attach" | "agent.session.detach">): boolean {
  return args.citizen === by;
}

function refuseName() {
  return refuse("ARGUMENT", "citizen: must be the name under which you are registered on the Bus", {
    field: "citizen",
  });
}
