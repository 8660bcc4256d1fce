// SPDX-License-Identifier: MIT OR Apache-2.0
// Turns that look done and are not: of a model that fails, that is silent, or that somebody cancelled.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import type { JsonObject, Step } from "../scripted-agent/scenario.ts";
import { BusUser } from "../harness/bus-user.ts";
import { startDaemonHere } from "../harness/daemon-here.ts";
import { makeCast, ofKind, onPrompt, openScene, shortGraces, turnEnd } from "./scene.ts";

const info = (codex: JsonObject): Step => ({ update: { sessionUpdate: "session_info_update", _meta: { codex } } });

test("a turn of Codex whose model failed ends as failed with its error, though it answers end_turn", async () => {
  using cast = makeCast({
    scripted: onPrompt(
      info({ threadStatus: { type: "active", activeFlags: [] } }),
      info({ error: { message: "stream disconnected", willRetry: true, turnId: "1" } }),
      { text: "unexpected status 429: no quota\n\n" },
      info({ threadStatus: { type: "systemError" } }),
      { reply: { stopReason: "end_turn" } },
    ),
  });
  // Under the name by which the catalogue finds Codex.
  const programs = join(cast.place.home, "programs");
  mkdirSync(programs);
  const program = join(programs, "codex-acp");
  const command = cast
    .agent()
    .command.map((word) => `'${word}'`)
    .join(" ");
  writeFileSync(program, `#!/bin/sh\nexec ${command}\n`);
  chmodSync(program, 0o755);
  const { environment } = cast.place;
  const place = { ...cast.place, environment: { ...environment, PATH: `${programs}:${environment["PATH"]}` } };
  await using daemon = await startDaemonHere(place, { limits: shortGraces });
  const user = await BusUser.watching(await daemon.connect());
  const session = await user.start({ agent: "codex", cwd: place.directory(), prompt: "go" });
  expect(await turnEnd(user, session)).toMatchObject({
    stop_reason: "failed",
    error: { error_code: "AGENT_ERROR", message: "unexpected status 429: no quota" },
  });
  const log = await user.log(session);
  expect(ofKind(log, "diagnostic").filter(({ what }) => what === "model-retry")).toMatchObject([
    { turn: 1, message: "a request to the model failed, and the agent tries again: stream disconnected" },
  ]);
});

test("an agent that answers a cancel with end_turn does not make the cancelled turn a finished one", async () => {
  await using scene = await openScene({
    scripted: {
      rules: [
        { on: "session/prompt", do: [{ text: "hm" }] },
        { on: "session/cancel", do: [{ reply: { stopReason: "end_turn" }, to: "$promptId" }] },
      ],
    },
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await user.call("agent.session.cancel", { session });
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "cancelled", sent: true });
  await user.wait(session, "idle");
});

test("a model that says nothing is reported after the limit, and its turn goes on (cases 49, 152)", async () => {
  const clock = new ManualClock();
  await using scene = await openScene({ scripted: { rules: [{ on: "session/prompt", do: [] }] } }, { clock });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  clock.advance(20_000);
  const silent = await user.entry(session, (entry) => entry.kind === "diagnostic" && entry.what === "model-silent");
  expect(silent).toMatchObject({ turn: 1, message: "no answer from the model for 20 s" });
  clock.advance(3_600_000);
  expect(await user.get(session)).toMatchObject({ state: "running" });
  await user.call("agent.session.cancel", { session });
  expect(await turnEnd(user, session)).toMatchObject({ stop_reason: "cancelled" });
  const reports = ofKind(await user.log(session), "diagnostic").filter(({ what }) => what === "model-silent");
  expect(reports).toHaveLength(1);
});
