// SPDX-License-Identifier: MIT OR Apache-2.0
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ManualClock } from "../../../bus-client/testing/manual-clock.ts";
import { noFailpoint } from "../../failpoint.ts";
import { Agents } from "./agents.ts";
import { TranscriptDigest } from "../transcript.ts";
import { SessionScript } from "../core/testing/session-script.ts";

test.each([undefined, "the session"])(
  "a launch that still waits is dropped when agents are ended unlogged (%s)",
  async (session) => {
    const events: string[] = [];
    let goOn = (): void => {};
    const replied = new Promise<void>((resolve) => (goOn = resolve));
    const { state } = new SessionScript();
    const agents = new Agents({
      post: (_, { type }) => events.push(type),
      plan() {
        events.push("planned");
        return { ok: false, failure: { code: "AGENT_UNAVAILABLE", message: "nobody is there" } };
      },
      clock: new ManualClock(),
      soon: () => replied,
      chunkMergeBytesMax: 65_536,
      transcript: () => undefined,
      digestLog: () => Promise.resolve(new TranscriptDigest()),
      evidenceFor: () => undefined,
      maintain: () => Promise.reject(new Error("nothing is kept here")),
      people() {},
      busToolsSeen: () => Promise.resolve(true),
      onError() {},
      failpoint: noFailpoint,
      record() {},
    });
    agents.act("the session", [{ type: "launch", state }]);
    agents.endUnlogged(session);
    goOn();
    await setImmediate();
    expect(events).toEqual(["ended_unlogged", "stopped"]);
  },
);
