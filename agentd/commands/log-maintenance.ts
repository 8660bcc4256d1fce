// SPDX-License-Identifier: MIT OR Apache-2.0
// The verbs agent.session.purge and agent.log.*. With `dry_run` they only count, and nothing is logged.
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { runSteps } from "../log/steps.ts";
import { phaseOf } from "../session/core/state.ts";
import { instanceSession } from "../vocabulary/index.ts";
import { findSession, type Handler, ok, refuse } from "./call.ts";
import { postToSession } from "./post-command.ts";

type Needs = "log" | "mailbox" | "callers";

export const purge: Handler<"agent.session.purge", Needs | "sessions"> = (instance, call) => {
  const session = findSession(instance, call.args.session);
  if (typeof session !== "string") return session;
  if (!call.args.dry_run) return postToSession(instance, call, session);
  const state = instance.sessions.get(session);
  const phase = state && phaseOf(state);
  if (state?.run.phase !== "ended") {
    return refuse("SESSION_STATE", `the session is ${phase} and can be purged when it has ended`, { state: phase });
  }
  return ok({ session, entries: instance.log.maintenance.purgeable(session) });
};

export const prune: Handler<"agent.log.prune", Needs | "clock"> = async (instance, call) => {
  const before = Date.parse(call.args.before);
  if (before > instance.clock.now()) return refuse("ARGUMENT", "before: lies in the future", { field: "before" });
  if (!call.args.dry_run) return await postToSession(instance, call, instanceSession);
  const found = await runSteps(instance.log.maintenance.prunable(before), yieldToEventLoop);
  return ok({
    sessions: found.map(({ session }) => session),
    entries: found.reduce((sum, { entries }) => sum + entries, 0),
  });
};

export const redact: Handler<"agent.log.redact", Needs> = async (instance, call) => {
  const { session: reference, sha256, length, dry_run } = call.args;
  const session = reference === undefined ? instanceSession : findSession(instance, reference);
  if (typeof session !== "string") return session;
  if (!dry_run) return await postToSession(instance, call, session);
  const scope = session === instanceSession ? {} : { session };
  const { walTruncated: _, ...counts } = await runSteps(
    instance.log.maintenance.redact({ sha256, length }, scope),
    yieldToEventLoop,
  );
  return ok(counts);
};

export const verify: Handler<"agent.log.verify", "maintenance"> = async ({ maintenance }) =>
  ok(await maintenance.verify());

export const stats: Handler<"agent.log.stats", "log" | "settings"> = async (instance, { args }) => {
  const { space, ...counts } = await runSteps(instance.log.maintenance.stats(args.top), yieldToEventLoop);
  return ok({
    file_bytes: space.file,
    write_ahead_bytes: space.writeAhead,
    used_bytes: space.used,
    free_bytes: space.free,
    quota_bytes: instance.settings().logQuotaBytes,
    ...counts,
  });
};
