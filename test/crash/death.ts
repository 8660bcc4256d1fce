// SPDX-License-Identifier: MIT OR Apache-2.0
// One agentd's death in the middle of one command, and all that is owed afterwards.
import { expect } from "vitest";
import type { FailpointName } from "../../agentd/failpoint.ts";
import { leftIn, livingIn } from "../cases/living.ts";
import { type Cast, makeCast } from "../cases/scene.ts";
import { BusUser } from "../harness/bus-user.ts";
import { startDaemonHere } from "../harness/daemon-here.ts";
import { type Act, stubborn } from "./acts.ts";
import { brokenAfterRecovery, claimedToBeSent } from "./broken-promises.ts";
import { type Logged, readLogFile } from "./logged.ts";
import { dieWhileStarting, type Reached, startMortalDaemon } from "./mortal-daemon.ts";

/** What the one who gave the command knows when agentd is dead. */
interface Left {
  readonly cast: Cast;
  readonly act: Act;
  readonly args: Readonly<Record<string, unknown>>;
  /** The reply's bytes, if it came. */
  readonly reply: string | undefined;
  /** What the topic brought until then. */
  readonly seen: BusUser["seen"];
}

/** The agents do not leave when their stdin ends. */
const graces = { closeRequestTimeoutMs: 200, stdinGraceMs: 50, termGraceMs: 2_000 } as const;
const commandId = "the-one";

/** `when`: a point and how often it is reached; or as soon as the reply has come. */
export type When = { readonly point: FailpointName; readonly nth: number } | "replied";

/** Dies in the command, recovers, recovers again. Throws where anything is broken. */
export async function dieAndRecover(act: Act, when: When): Promise<void> {
  using cast = stubbornCast();
  await checkAftermath(await die(cast, act, when));
}

/** Dies when the command is logged, dies again in its recovery, recovers, recovers again. */
export async function dieTwiceAndRecover(act: Act, point: FailpointName): Promise<void> {
  using cast = stubbornCast();
  const left = await die(cast, act, { point: "log.after", nth: 1 });
  await dieWhileStarting(cast.place, point);
  await checkAftermath(left);
}

/** How often the command reaches each point when nothing happens to it. */
export async function reachedBy(act: Act): Promise<Reached> {
  using cast = stubbornCast();
  await using daemon = await startMortalDaemon(cast.place, graces);
  const user = await BusUser.watching(await daemon.connect());
  const args = await prepared(act, user, cast);
  // Of a point that nothing reaches any more: it counts from here on.
  await daemon.arm("recovery.before", 1);
  const { session } = await user.call<{ session: string }>(act.verb, args);
  await user.entry(session, act.isLast);
  return await daemon.reached();
}

/** Its agents outlive agentd, and not the test. */
export function stubbornCast(): Cast {
  const cast = makeCast({ scripted: stubborn });
  return {
    place: cast.place,
    agent: (name) => cast.agent(name),
    [Symbol.dispose]() {
      for (const { pid } of livingIn(cast.place)) killIfThere(pid);
      cast[Symbol.dispose]();
    },
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

async function prepared(act: Act, user: BusUser, cast: Cast): Promise<Record<string, unknown>> {
  return { ...(await act.prepare(user, cast.place)), command_id: commandId };
}

async function die(cast: Cast, act: Act, when: When): Promise<Left> {
  await using daemon = await startMortalDaemon(cast.place, graces);
  const user = await BusUser.watching(await daemon.connect());
  const caller = await daemon.connect();
  const args = await prepared(act, user, cast);
  if (when !== "replied") await daemon.arm(when.point, when.nth);
  const replied = caller.call("agent", act.verb, args).then(
    ({ body }) => body,
    () => undefined,
  );
  if (when === "replied") {
    await replied;
    daemon.kill();
  }
  await daemon.death();
  return { cast, act, args, reply: await replied, seen: user.seen };
}

async function checkAftermath(left: Left): Promise<void> {
  const { cast, seen } = left;
  const { place } = cast;
  const frames = () => cast.agent().received();
  {
    await using _ = await startDaemonHere(place, { limits: graces });
    expect(await leftIn(place), "processes that outlived agentd").toEqual([]);
  }
  const recovered = await readLogFile(place);
  expect(brokenAfterRecovery({ logged: recovered, frames: frames(), seen })).toEqual([]);
  expect(claimedToBeSent({ logged: recovered, frames: frames() })).toEqual([]);
  {
    await using daemon = await startDaemonHere(place, { limits: graces });
    const user = await BusUser.watching(await daemon.connect());
    for (const [session, { entries }] of recovered.sessions) {
      expect(await user.log(session), "the log after a second recovery").toEqual(entries);
    }
    await checkRetry(left, recovered, user);
  }
  expect(brokenAfterRecovery({ logged: await readLogFile(place), frames: frames(), seen })).toEqual([]);
}

async function checkRetry({ cast, act, args, reply }: Left, recovered: Logged, user: BusUser): Promise<void> {
  const effects = (): number => cast.agent().received().filter(act.isEffect).length;
  const again = async (): Promise<string> => (await user.client.call("agent", act.verb, args)).body;
  const bringBack = async (): Promise<void> => {
    const { session } = await user.call<{ session: string }>("agent.session.resume", { session: sessionOf(args) });
    await user.wait(session, "idle");
  };
  const first = firstReply(recovered);
  if (reply !== undefined) expect(first, "a reply that came is in the log").toBe(reply);
  if (first === undefined) {
    expect(effects(), "frames of a command that is not logged").toBe(0);
    await runForTheFirstTime(act, args, user, bringBack);
    expect(effects()).toBe(act.firstRunLater.effects);
    return;
  }
  expect(effects()).toBeLessThanOrEqual(1);
  if (reply === undefined && act.answeredWhenDone) expect(JSON.parse(first)).toSatisfy(isInterruptedOrDone);
  expect(await again(), "the first reply, byte for byte").toBe(first);
  if (act.verb !== "agent.session.start") await bringBack();
  const before = effects();
  expect(await again()).toBe(first);
  expect(effects(), "effects of a retry").toBe(before);
}

async function runForTheFirstTime(
  { verb, firstRunLater }: Act,
  args: Left["args"],
  user: BusUser,
  bringBack: () => Promise<void>,
): Promise<void> {
  if (firstRunLater.needsLife) await bringBack();
  if (firstRunLater.refusal !== undefined) {
    expect((await user.refusal(verb, args)).code).toBe(firstRunLater.refusal);
    return;
  }
  const { session } = await user.call<{ session: string }>(verb, args);
  await user.wait(session, "idle", "ended");
}

/** The bytes of the reply that the log has for the command, once it is recovered. */
function firstReply({ sessions }: Logged): string | undefined {
  for (const { entries } of sessions.values()) {
    const command = entries.find((entry) => entry.kind === "command" && entry.command_id === commandId);
    if (!command) continue;
    const reply = entries.find((entry) => entry.kind === "reply" && entry.command_seq === command.seq);
    if (reply?.kind === "reply") return JSON.stringify(reply.body);
    throw new Error("the command is logged and was never answered");
  }
  return undefined;
}

function sessionOf(args: Left["args"]): string {
  return String(args["session"]);
}

function isInterruptedOrDone(body: { readonly error_code?: string; readonly options?: unknown }): boolean {
  return body.error_code === "AGENT_INTERRUPTED" || body.options !== undefined;
}
