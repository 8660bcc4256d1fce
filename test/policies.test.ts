// SPDX-License-Identifier: MIT OR Apache-2.0
// The built-in policies work out of the box, and a configured one of the same name replaces them.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BusUser } from "./harness/bus-user.ts";
import { type DaemonHere, startDaemonHere } from "./harness/daemon-here.ts";
import { makePlace } from "./harness/place.ts";

/** A session of the demo agent in a directory with one file. */
async function demo(daemon: DaemonHere, cwd: string, policy: string) {
  const user = new BusUser(await daemon.connect());
  writeFileSync(join(cwd, "a.txt"), "pelican");
  const session = await user.start({ agent: "demo", cwd, policy, config: { pace: "fast" } });
  await user.wait(session, "idle");
  return {
    session,
    /** Whether a person was asked. The question is cancelled then. */
    async isAsked(prompt: string): Promise<boolean> {
      await user.prompt(session, prompt);
      if ((await user.wait(session, "idle", "waiting")).state === "idle") return false;
      await user.call("agent.session.cancel", { session });
      await user.wait(session, "idle");
      return true;
    },
  };
}

test("reads allows reading, and edits also editing, within the session's directory", async () => {
  using place = makePlace();
  await using daemon = await startDaemonHere(place);
  const [one, two] = [place.directory(), place.directory()];
  const reads = await demo(daemon, one, "reads");
  expect(await reads.isAsked("ask read a.txt")).toBe(false);
  expect(await reads.isAsked("ask write b.txt new")).toBe(true);
  expect(existsSync(join(one, "b.txt"))).toBe(false);
  const edits = await demo(daemon, two, "edits");
  expect(await edits.isAsked("ask read a.txt")).toBe(false);
  expect(await edits.isAsked("ask write b.txt new")).toBe(false);
  expect(await edits.isAsked("ask write a.txt new")).toBe(false);
  expect(existsSync(join(two, "b.txt"))).toBe(true);
});

test("a policy of the configuration replaces the built-in one of its name, and an unknown name is told what there is", async () => {
  using place = makePlace({}, "[policies.edits]\nallow_once = []\n[policies.mine]");
  await using daemon = await startDaemonHere(place);
  const edits = await demo(daemon, place.directory(), "edits");
  expect(await edits.isAsked("ask read a.txt")).toBe(true);
  const user = new BusUser(await daemon.connect());
  for (const refused of [
    await user.refusal("agent.session.start", { agent: "demo", policy: "raeds" }),
    await user.refusal("agent.policy.test", { policy: "raeds", request: `${edits.session}-1` }),
  ]) {
    expect(refused.body).toMatchObject({ error_code: "ARGUMENT", policies: ["reads", "edits", "mine"] });
    expect(refused.message).toContain("there are reads, edits, mine");
  }
});
