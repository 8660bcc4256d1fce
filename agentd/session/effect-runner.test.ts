// SPDX-License-Identifier: MIT OR Apache-2.0
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import { noFailpoint } from "../failpoint.ts";
import { Agents } from "./agents/agents.ts";
import { SessionScript } from "./core/testing/session-script.ts";
import { EffectRunner } from "./effect-runner.ts";
import { TranscriptDigest } from "./transcript.ts";

const { state } = new SessionScript();

test.each([undefined, state.id])(
  "a launch that still waits is dropped when agents are ended unlogged (%s)",
  async (session) => {
    const events: string[] = [];
    let goOn = (): void => {};
    const replied = new Promise<void>((resolve) => (goOn = resolve));
    const common = {
      post: (_: string, { type }: { readonly type: string }) => void events.push(type),
      onError() {},
      failpoint: noFailpoint,
    };
    const agents = new Agents({
      ...common,
      plan() {
        events.push("planned");
        return { ok: false, failure: { code: "AGENT_UNAVAILABLE", message: "nobody is there" } };
      },
      soon: () => replied,
      now: () => 0,
      chunkMergeBytesMax: 65_536,
      conversation: { before: () => undefined, digest: () => Promise.resolve(new TranscriptDigest()) },
      record() {},
    });
    const effects = new EffectRunner({
      probes: { run: () => Promise.reject(new Error("no probe")) },
      ...common,
      agents,
      people: { act() {} },
      logins: { run: () => Promise.reject(new Error("nobody logs in here")) },
      maintenance: { run: () => Promise.reject(new Error("nothing is kept here")) },
      busTools: { hasRegistered: () => Promise.resolve(true) },
      clock: new ManualClock(),
    });
    effects.act(state.id, [{ type: "launch", state }]);
    effects.endUnlogged(session);
    goOn();
    await setImmediate();
    expect(events).toEqual(["ended_unlogged", "stopped"]);
  },
);
