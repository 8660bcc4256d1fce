// SPDX-License-Identifier: MIT OR Apache-2.0
// A session that was forgotten is in no list any more, but its log stays, and who has its id can use it.
import { expect, test } from "vitest";
import type { SessionSummary, VerbInput, VerifyReply } from "../agentd/vocabulary/index.ts";
import { BusUser } from "./harness/bus-user.ts";
import { startDaemonHere } from "./harness/daemon-here.ts";
import { makePlace } from "./harness/place.ts";
import { scriptedAgent } from "./scripted-agent/agent-files.ts";

async function listed(user: BusUser, args: VerbInput<"agent.session.list"> = {}): Promise<readonly SessionSummary[]> {
  return (await user.call<{ sessions: SessionSummary[] }>("agent.session.list", args)).sessions;
}

test("a forgotten session is listed only on request, also after a restart and a purge; a live one is not forgotten", async () => {
  using agent = scriptedAgent({
    initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
    rules: [{ on: "session/resume", do: [{ reply: {} }] }],
  });
  using place = makePlace({ mine: agent.command });
  const cwd = place.directory();
  let session: string;
  let kept: string;
  {
    await using daemon = await startDaemonHere(place);
    const user = await BusUser.watching(await daemon.connect());
    session = await user.start({ agent: "mine", cwd });
    kept = await user.start({ agent: "mine", cwd });
    await user.wait(session, "idle");
    expect(await user.refusal("agent.session.forget", { session })).toMatchObject({
      code: "SESSION_STATE",
      body: { state: "idle" },
    });
    for (const each of [session, kept]) {
      await user.call("agent.session.close", { session: each });
      await user.wait(each, "ended");
    }
    const reply = await user.call("agent.session.forget", { session, command_id: "f" });
    expect(reply).toMatchObject({ session, command_id: "f", forgotten: true });
    await user.entry(session, (entry) => entry.kind === "info" && entry.forgotten === true);
    expect(await user.call("agent.session.forget", { session, command_id: "f" })).toEqual(reply);
  }
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  for (const args of [{}, { cwd }, { agent: "mine" }, { state: "closed" as const }]) {
    expect((await listed(user, args)).map((one) => one.session)).toEqual([kept]);
    expect((await listed(user, { ...args, forgotten: true })).map((one) => [one.session, one.forgotten])).toEqual([
      [kept, undefined],
      [session, true],
    ]);
  }
  expect(await user.get(session)).toMatchObject({ state: "closed", forgotten: true });
  expect((await user.log(session)).at(-2)).toMatchObject({ kind: "info", forgotten: true });

  // While it runs it costs something and may wait for somebody.
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  expect((await listed(user)).map((one) => one.session)).toContain(session);
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  await user.call("agent.session.purge", { session });
  expect((await listed(user)).map((one) => one.session)).toEqual([kept]);
  expect(await user.call<VerifyReply>("agent.log.verify", {})).toMatchObject({ ok: true });
});
