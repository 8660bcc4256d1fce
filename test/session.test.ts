// SPDX-License-Identifier: MIT OR Apache-2.0
// The main job, whole: a session over the Bus, from its start to its end, with the built daemon and the demo agent.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Entry } from "../agentd/vocabulary/index.ts";
import { BusUser } from "./harness/bus-user.ts";
import { startDaemonProcess } from "./harness/daemon-process.ts";
import { makePlace } from "./harness/place.ts";

test("a session is started, watched and ended, and its log holds every entry in order", async () => {
  using place = makePlace();
  await using daemon = await startDaemonProcess(place);
  const user = await BusUser.watching(await daemon.connect());
  const cwd = place.directory();
  const session = await user.start({ agent: "demo", cwd, prompt: "write hello.txt" });
  const ended = await user.entry(session, (entry) => entry.kind === "turn" && entry.phase === "ended");
  expect(ended).toMatchObject({ turn: 1, stop_reason: "end_turn", sent: true });
  expect(existsSync(join(cwd, "hello.txt"))).toBe(true);
  await user.wait(session, "idle");
  await user.call("agent.session.close", { session });
  await user.entry(session, (entry) => entry.kind === "state" && entry.state === "closed");

  const logged = await user.log(session);
  expect(logged.map(({ seq }) => seq)).toEqual(logged.map((_, index) => index + 1));
  expect(user.seen.filter((entry) => entry.session === session)).toEqual(logged);
  const text = logged.filter((entry): entry is Extract<Entry, { kind: "message" }> => entry.kind === "message");
  expect(text.some(({ role }) => role === "thought")).toBe(true);
  expect(logged.filter(({ kind }) => kind === "state").map((entry) => (entry as { state: string }).state)).toEqual([
    "starting",
    "starting",
    "running",
    "idle",
    "closing",
    "closed",
  ]);
  expect(readFileSync(join(cwd, "hello.txt"), "utf8")).not.toBe("");
});

test("a retry with the same command id gets the first reply and starts nothing more", async () => {
  using place = makePlace();
  await using daemon = await startDaemonProcess(place);
  const user = new BusUser(await daemon.connect());
  const args = { agent: "demo", cwd: place.directory(), command_id: "once" };
  const replies = await Promise.all([1, 2, 3].map(() => user.client.call("agent", "agent.session.start", args)));
  expect(new Set(replies.map(({ body }) => body)).size).toBe(1);
  const { sessions } = await user.call<{ sessions: unknown[] }>("agent.session.list", {});
  expect(sessions).toHaveLength(1);
  const conflict = await user.refusal("agent.session.start", { ...args, name: "another" });
  expect(conflict.code).toBe("COMMAND_CONFLICT");
});
