// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { findByIdentity, identityOf, sameProcess, type ProcessIdentity } from "./process-identity.ts";
import { start } from "./testing/trees.ts";

test("a recorded process is found only while it lives", async () => {
  await using cat = start(["cat"]);
  const identity = cat.agent.identity as ProcessIdentity;
  expect(findByIdentity(identity)?.pid).toBe(cat.agent.pid);
  await cat.agent.stop();
  expect(findByIdentity(identity)).toBeUndefined();
});

test("a different start time or boot is a different process", async () => {
  await using cat = start(["cat"]);
  const identity = cat.agent.identity as ProcessIdentity;
  const others = [
    { ...identity, startTime: `${identity.startTime}1` },
    { ...identity, bootId: "another" },
  ];
  for (const other of others) {
    expect(findByIdentity(other)).toBeUndefined();
    expect(sameProcess(identity, other)).toBe(false);
  }
  expect(identityOf(identity.pid)).toEqual(identity);
});
