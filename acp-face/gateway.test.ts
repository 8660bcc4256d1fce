// SPDX-License-Identifier: MIT OR Apache-2.0
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { AgentError } from "../agent-client/agent-error.ts";
import type { AgentBus } from "../agent-client/requests/ask.ts";
import { BusClient } from "../bus-client/index.ts";
import { ManualClock } from "../bus-client/testing/manual-clock.ts";
import { Gateway } from "./gateway.ts";

/** A gateway to an agentd that answers each request in this way. */
function gatewayTo(call: AgentBus["call"]) {
  const clock = new ManualClock();
  const client = new BusClient({ url: "unix:/nowhere", name: "acp-test" });
  const unused = () => Promise.reject(new Error("not asked for"));
  const bus: AgentBus = { client, call, ask: unused, reader: unused, mayComeBack: () => true, close: async () => {} };
  const gateway = new Gateway({
    clock,
    connect: async () => bus,
    newCommandId: () => "c1",
  });
  return { gateway, clock };
}

test.each([
  ["BUSY", "BUSY"],
  ["UNREACHABLE", "UNREACHABLE"],
  ["TIME_LIMIT", "UNREACHABLE"],
])("a request that meets %s is sent again for 10 s, and then fails with %s", async (met, code) => {
  let sent = 0;
  const { gateway, clock } = gatewayTo(async () => {
    sent += 1;
    throw new AgentError(met, "not now");
  });
  let failure: unknown;
  const asked = gateway.ask("agent.list", {}).catch((error: unknown) => (failure = error));
  for (let passed = 0; passed < 9_900; passed += 100) {
    await setImmediate();
    clock.advance(100);
  }
  await setImmediate();
  expect(failure).toBeUndefined();
  expect(sent).toBeGreaterThan(5);
  clock.advance(100);
  expect(await asked).toMatchObject({ code });
  expect(clock.pending).toEqual([]);
});

test("a request that agentd is busy for is answered when it is not any more", async () => {
  let sent = 0;
  const { gateway, clock } = gatewayTo(async () => {
    sent += 1;
    if (sent === 1) throw new AgentError("BUSY", "not now");
    return { rc: 0, headers: {}, body: '{"agents":[]}' };
  });
  const asked = gateway.ask("agent.list", {});
  await setImmediate();
  clock.advance(100);
  expect(await asked).toEqual({ agents: [] });
  expect(clock.pending).toEqual([]);
});
