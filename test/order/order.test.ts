// SPDX-License-Identifier: MIT OR Apache-2.0
// Log first, then act, then publish: seen from outside. When an agent has read a frame, the command behind it is on the
// disk; when a subscriber has got an update, its entry is. Another process looks, at that very moment.
// @module-tag slow
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Rule, Scenario, Step } from "../scripted-agent/scenario.ts";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { within } from "../harness/deadline.ts";
import { makeCast, question, startWatched, stateOf, turnEnd } from "../cases/scene.ts";
import { fileThere } from "./file-there.ts";
import { type LogReader, openLogReader } from "./log-reader.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };

const mode = {
  id: "mode",
  name: "Mode",
  type: "select",
  currentValue: "a",
  options: ["a", "b"].map((value) => ({ value, name: value })),
};

/** The agent says that it has read the frame, and does nothing more until it is let go. */
function held(directory: string, name: string, ...then: Step[]): Step[] {
  return [{ writeFile: `${directory}/${name}.read` }, { waitForFile: `${directory}/${name}.go` }, ...then];
}

function heldAt(directory: string): Scenario {
  const on = (frame: string, name: string, ...then: Step[]): Rule => ({
    on: frame,
    do: held(directory, name, ...then),
  });
  return {
    session: { configOptions: [mode] },
    rules: [
      on("initialize", "start", "default"),
      { on: "session/prompt", match: "first", do: held(directory, "prompt", endTurn) },
      { on: "session/prompt", match: "ask", do: [{ permission: {} }, endTurn] },
      { on: "response", match: '"allow"', do: held(directory, "answer") },
      { on: "session/prompt", match: "linger", do: [{ text: "hm" }] },
      on("session/cancel", "cancel", "default"),
      on("session/set_config_option", "set", "default"),
      on("session/close", "close", "default"),
    ],
  };
}

test("whatever command an agent has just read is in the log already, as another process sees it", async () => {
  using cast = makeCast({ scripted: heldAt });
  const { place } = cast;
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  await using disk = openLogReader(join(place.stateDirectory, "log.db"));
  const { directory } = cast.agent();
  const atRead = async (name: string, session: string): Promise<Entry[]> => {
    await fileThere(directory, `${name}.read`);
    const entries = await disk.entries(session);
    writeFileSync(join(directory, `${name}.go`), "");
    return entries;
  };
  const command = (verb: string) => expect.objectContaining({ kind: "command", verb });

  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  const looking = lookAtDeliveries(user, disk, session, (entry) => entry.kind === "state" && entry.state === "closed");
  expect(await atRead("start", session)).toContainEqual(command("agent.session.start"));
  await user.wait(session, "idle");

  await user.prompt(session, "first");
  const prompted = await atRead("prompt", session);
  expect(prompted).toContainEqual(command("agent.session.prompt"));
  expect(prompted).toContainEqual(expect.objectContaining({ kind: "turn", turn: 1, phase: "started" }));
  expect(prompted).toContainEqual(expect.objectContaining({ role: "user", content: { type: "text", text: "first" } }));
  await turnEnd(user, session);

  const set = user.call("agent.session.set_config", { session, option: "mode", value: "b" });
  const changing = await atRead("set", session);
  expect(changing).toContainEqual(command("agent.session.set_config"));
  const done = { kind: "reply", verb: "agent.session.set_config" };
  expect(changing).not.toContainEqual(expect.objectContaining(done));
  await set;
  expect(await disk.entries(session)).toContainEqual(expect.objectContaining(done));

  await user.prompt(session, "ask");
  const { request } = await question(user, session);
  await user.call("agent.permission.answer", { session, request, option: "allow" });
  const answered = await atRead("answer", session);
  expect(answered).toContainEqual(command("agent.permission.answer"));
  expect(answered).toContainEqual(expect.objectContaining({ request, phase: "resolved", option: "allow" }));
  await turnEnd(user, session, 2);

  await user.prompt(session, "linger");
  await user.call("agent.session.cancel", { session });
  expect(await atRead("cancel", session)).toContainEqual(command("agent.session.cancel"));
  await turnEnd(user, session, 3);

  await user.call("agent.session.close", { session });
  const closing = await atRead("close", session);
  expect(closing).toContainEqual(command("agent.session.close"));
  expect(closing).toContainEqual(expect.objectContaining({ kind: "state", state: "closing" }));
  await stateOf(user, session, "closed");
  // And what subscribers were told of all this was there when they were told.
  expect((await within(10_000, "the session's end was not delivered", looking)).missing).toEqual([]);
  expect(user.seen.filter((entry) => entry.session === session)).toEqual(await disk.entries(session));
});

test("while the log cannot be written no frame goes out and nothing is published, and what was said comes later", async () => {
  using cast = makeCast({
    scripted: (directory) => ({
      session: { configOptions: [mode] },
      rules: [
        {
          on: "session/prompt",
          match: "first",
          do: [{ waitForFile: `${directory}/say.go` }, { text: "said" }, { writeFile: `${directory}/said` }],
        },
        { on: "session/prompt", match: "ask", do: [{ permission: {} }, endTurn] },
      ],
    }),
  });
  const { place } = cast;
  const agent = cast.agent();
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  const start = async (): Promise<string> => {
    const session = await user.start({ agent: "scripted", cwd: place.directory() });
    await user.wait(session, "idle");
    return session;
  };
  const [speaking, asking, idle] = [await start(), await start(), await start()];
  await user.prompt(speaking, "first");
  await user.prompt(asking, "ask");
  const { request } = await question(user, asking);
  await using disk = openLogReader(join(place.stateDirectory, "log.db"));

  await disk.hold();
  const [delivered, framed] = [user.seen.length, agent.received().length];
  writeFileSync(join(agent.directory, "say.go"), "");
  await fileThere(agent.directory, "said");
  // Each refusal comes when agentd has tried, and what the agent said was tried before it.
  const refusals = [
    await user.refusal("agent.session.prompt", { session: idle, prompt: "never ran" }),
    await user.refusal("agent.session.prompt", { session: speaking, prompt: "never ran", when_busy: "queue" }),
    await user.refusal("agent.session.set_config", { session: idle, option: "mode", value: "b" }),
    await user.refusal("agent.permission.answer", { session: asking, request, option: "allow" }),
    await user.refusal("agent.session.start", { agent: "scripted", cwd: place.directory() }),
  ];
  expect(refusals.map(({ code }) => code)).toEqual(refusals.map(() => "STORE_FAILED"));
  expect(user.seen.slice(delivered)).toEqual([]);
  await disk.release();

  const said = await user.entry(speaking, (entry) => entry.kind === "message" && entry.role === "agent");
  expect(await disk.entries(speaking)).toContainEqual(said);
  // What the agents got since then is what was asked of them since then: pipes keep their order.
  await user.prompt(idle, "second");
  await user.call("agent.permission.answer", { session: asking, request, option: "reject" });
  await Promise.all([turnEnd(user, idle), turnEnd(user, asking)]);
  const since = agent.received().slice(framed);
  expect(since).toHaveLength(2);
  expect(since).toContainEqual(expect.objectContaining({ method: "session/prompt" }));
  expect(since).toContainEqual(
    expect.objectContaining({ result: { outcome: { outcome: "selected", optionId: "reject" } } }),
  );
  expect(JSON.stringify(since)).not.toContain("never ran");
});

test("each of a few hundred updates is on the disk when a subscriber gets it, and so is each accepted prompt", async () => {
  const [bursts, perBurst] = [30, 10];
  const update: Step = { update: { sessionUpdate: "tool_call_update", toolCallId: "t", title: "on it" } };
  // The next burst comes when the one before was looked at: there are as many looks however slow the machine is.
  const paced = Array.from({ length: bursts }, (_, index): Step[] => [
    { repeat: perBurst, do: [update] },
    { waitForFile: `$cwd/looked-${index + 1}` },
  ]).flat();
  using cast = makeCast({ scripted: { rules: [{ on: "session/prompt", do: [...paced, endTurn] }] } });
  const { place } = cast;
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  const cwd = place.directory();
  const session = await user.start({ agent: "scripted", cwd });
  await user.wait(session, "idle");
  await using disk = openLogReader(join(place.stateDirectory, "log.db"));
  expect((await disk.entries(session)).length).toBeGreaterThan(0);
  let updates = 0;
  const isLast = (entry: Entry): boolean => entry.kind === "turn" && entry.phase === "ended";
  const looking = lookAtDeliveries(user, disk, session, isLast, (looked) => {
    updates += looked.filter(({ kind }) => kind === "tool_call").length;
    const burst = Math.floor(updates / perBurst);
    if (burst > 0) writeFileSync(join(cwd, `looked-${burst}`), "");
  });
  const { seq } = await user.call<{ seq: number }>("agent.session.prompt", { session, prompt: "go" });
  expect((await disk.entries(session)).some((entry) => entry.kind === "command" && entry.seq === seq)).toBe(true);
  const { looks, missing } = await within(30_000, "the turn did not end", looking);
  expect(missing).toEqual([]);
  expect(looks).toBeGreaterThanOrEqual(bursts);
  expect(updates).toBeGreaterThanOrEqual(bursts * perBurst);
});

/**
 * Looks at the disk whenever something was delivered, until the entry that is the last: one look answers for all that
 * had come before it. What was delivered and is not there is missing.
 */
async function lookAtDeliveries(
  user: BusUser,
  disk: LogReader,
  session: string,
  last: (entry: Entry) => boolean,
  onLooked: (delivered: readonly Entry[]) => void = () => {},
): Promise<{ readonly looks: number; readonly missing: readonly Entry[] }> {
  const missing: Entry[] = [];
  let looks = 0;
  let seen = 0;
  for (;;) {
    const delivered = user.seen.slice(seen).filter((entry): entry is Entry => entry.session === session);
    seen = user.seen.length;
    if (delivered.length > 0) {
      const onDisk = new Set((await disk.entries(session)).map((entry) => JSON.stringify(entry)));
      looks += 1;
      missing.push(...delivered.filter((entry) => !onDisk.has(JSON.stringify(entry))));
      onLooked(delivered);
    }
    if (delivered.some(last)) return { looks, missing };
    if (seen === user.seen.length) await nextTick();
  }
}

async function nextTick(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
