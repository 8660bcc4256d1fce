// SPDX-License-Identifier: MIT OR Apache-2.0
// Who comes late, was away or was too slow ends where everybody else does: a snapshot is of one moment, and a follower
// has every entry once.
// @module-tag slow
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Step } from "../scripted-agent/scenario.ts";
import type { Entry, SessionSnapshot } from "../../agentd/vocabulary/index.ts";
import { busSource } from "../../agent-client/entries/bus-source.ts";
import { follow, positionAfter } from "../../agent-client/entries/follow.ts";
import { BusUser } from "../harness/bus-user.ts";
import { within } from "../harness/deadline.ts";
import { makeCast, ofKind, openScene, startWatched, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };

/** The part of a snapshot that the log alone tells, as the entries up to its `last_seq` tell it. */
function folded(log: readonly Entry[], { last_seq }: SessionSnapshot) {
  const entries = log.filter(({ seq }) => seq <= last_seq);
  const turns = ofKind(entries, "turn");
  const phaseOf = (turn: number) => turns.findLast((entry) => entry.turn === turn)?.phase;
  const of = (phase: string) => [...new Set(turns.map(({ turn }) => turn))].filter((turn) => phaseOf(turn) === phase);
  const requests = new Map<string, boolean>();
  for (const { request, phase } of ofKind(entries, "permission")) requests.set(request, phase === "requested");
  const usage = ofKind(entries, "usage").at(-1);
  return {
    last_seq: entries.at(-1)?.seq,
    state: ofKind(entries, "state").at(-1)?.state,
    running: of("started")[0] ?? null,
    queued: of("queued"),
    plan: ofKind(entries, "plan").at(-1)?.entries ?? [],
    commands: ofKind(entries, "commands").at(-1)?.commands ?? [],
    options: ofKind(entries, "options").at(-1)?.options ?? [],
    requests: [...requests].filter(([, open]) => open).map(([request]) => request),
    usage: usage ? { used: usage.used, size: usage.size } : null,
  };
}

function told(snapshot: SessionSnapshot): ReturnType<typeof folded> {
  const { last_seq, state, running, queued, plan, commands, options, requests, usage } = snapshot;
  return {
    last_seq,
    state,
    running: running?.turn ?? null,
    queued: queued.map(({ turn }) => turn),
    plan,
    commands,
    options,
    requests: requests.map(({ request }) => request),
    usage,
  };
}

test("every snapshot that is taken in the middle of things is what the log says up to its seq (case 136)", async () => {
  const [rounds, perGate] = [60, 3];
  const step = (turn: number, index: number): Step[] => [
    { update: { sessionUpdate: "plan", entries: [{ content: `step ${index}`, priority: "high", status: "pending" }] } },
    { update: { sessionUpdate: "usage_update", used: index, size: 1000 } },
    {
      update: {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: `c${index}`, description: "" }],
      },
    },
    { text: `${index} ` },
    ...(index % 20 === 10 ? ([{ permission: {} }] satisfies Step[]) : []),
    // However slow the machine is, the agent goes on only when a snapshot has shown how far it is.
    ...(index % perGate === 0 ? ([{ waitForFile: `$cwd/${turn}-${index}` }] satisfies Step[]) : []),
    { waitMs: 2 },
  ];
  const steps = (turn: number): Step[] => Array.from({ length: rounds }, (_, index) => step(turn, index)).flat();
  const rules = ["first turn", "second turn"].map((match, index) => {
    return { on: "session/prompt", match, do: [...steps(index + 1), endTurn] };
  });
  await using scene = await openScene({ scripted: { rules } });
  const { user } = scene;
  const late = await scene.somebody();
  const cwd = scene.place.directory();
  const session = await scene.idle({ cwd });
  await user.prompt(session, "first turn");
  await user.prompt(session, "second turn", "queue");
  const snapshots: SessionSnapshot[] = [];
  let over = false;
  const end = turnEnd(user, session, 2).then(() => (over = true));
  while (!over) {
    const snapshot = await late.get(session);
    snapshots.push(snapshot);
    const [turn, index] = [snapshot.running?.turn, snapshot.usage?.used ?? Number.NaN];
    if (turn !== undefined && index % perGate === 0) writeFileSync(join(cwd, `${turn}-${index}`), "");
    for (const { request } of snapshot.requests) {
      await late.call("agent.permission.answer", { request, option: "allow" }).catch(() => undefined);
    }
  }
  await end;
  const log = await user.log(session);
  for (const snapshot of snapshots) expect(told(snapshot)).toEqual(folded(log, snapshot));
  const states = new Set(
    snapshots.map(({ state, queued, requests }) => `${state} ${queued.length} ${requests.length}`),
  );
  expect([...states]).toEqual(expect.arrayContaining(["running 1 0", "waiting 1 1", "running 0 0"]));
  const gates = 2 * Math.ceil(rounds / perGate);
  expect(new Set(snapshots.map(({ last_seq }) => last_seq)).size).toBeGreaterThanOrEqual(gates);
});

interface Follower extends Disposable {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves when it has handed out so many entries. */
  has(entries: number): Promise<void>;
}

async function startFollower(busUrl: string, session: string): Promise<Follower> {
  const program = fileURLToPath(new URL("./follower.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", program, busUrl, session], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  const following = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "following") resolve();
      else lines.push(line);
      for (const look of watchers) look();
    });
  });
  await within(20_000, "the follower does not follow", following);
  return {
    child,
    lines,
    has: (entries) =>
      within(
        40_000,
        () => `the follower has ${lines.length} of ${entries} entries`,
        new Promise((resolve) => {
          const look = (): void => {
            if (lines.length >= entries) resolve();
          };
          watchers.add(look);
          look();
        }),
      ),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

const lineOf = (entry: Entry): string =>
  `${entry.seq} ${createHash("sha256").update(JSON.stringify(entry)).digest("hex")}`;

test("a follower that stood still in a flood, so that deliveries were dropped, ends with exactly the log (case 139)", async () => {
  await using scene = await openScene({ scripted: {} });
  const { user } = scene;
  const session = await scene.idle();
  using follower = await startFollower(scene.daemon.daemon.busUrl(), session);
  follower.child.kill("SIGSTOP");
  // Turn after turn, since what a burst brings travels as one publication: only many fill the broker's queue.
  const prompt = "x".repeat(20_000);
  const turns = 250;
  for (let turn = 1; turn <= turns; turn += 1) {
    await user.prompt(session, prompt);
    await turnEnd(user, session, turn);
  }
  follower.child.kill("SIGCONT");
  await user.prompt(session, "the last");
  await turnEnd(user, session, turns + 1);
  const { last_seq } = await user.wait(session, "idle");
  await follower.has(last_seq);
  expect(follower.lines).toEqual((await user.log(session)).map(lineOf));
});

test("a follower lives through the end of agentd and of its Bus, and has what came before, between and after once (case 133)", async () => {
  using cast = makeCast({
    scripted: {
      initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
      rules: [
        { on: "session/prompt", match: "speak", do: [{ text: "so far" }] },
        { on: "session/resume", do: [{ reply: {} }] },
      ],
    },
  });
  const { place } = cast;
  const first = await startWatched(place);
  await using killed = first.daemon;
  const session = await first.user.start({ agent: "scripted", cwd: place.directory(), prompt: "speak" });
  await first.user.entry(session, (entry) => entry.kind === "message" && entry.role === "agent");
  using follower = await startFollower(killed.busUrl, session);
  killed.child.kill("SIGKILL");
  await within(10_000, "agentd is not gone", killed.exited);
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  await user.call("agent.session.resume", { session });
  await user.wait(session, "idle");
  await user.prompt(session, "and on");
  const { last_seq } = await user.wait(session, "idle");
  await follower.has(last_seq);
  expect(follower.lines).toEqual((await user.log(session)).map(lineOf));
});

test("a follower whose cursor is of another log is refused, and not silently given the new one's entries (case 133)", async () => {
  using cast = makeCast({ scripted: {} });
  const { place } = cast;
  let cursor: string;
  {
    const { daemon, user } = await startWatched(place);
    await using _ = daemon;
    const session = await user.start({ agent: "scripted", cwd: place.directory() });
    await user.wait(session, "idle");
    ({ cursor } = await user.get(session));
  }
  rmSync(place.stateDirectory, { recursive: true });
  const { daemon } = await startWatched(place);
  await using _ = daemon;
  const user = new BusUser(await daemon.connect());
  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  await user.wait(session, "idle");
  const [log, , seq] = cursor.split("/");
  const reader = await daemon.connect();
  const source = await busSource({ client: await daemon.connect(), reader: () => Promise.resolve(reader) });
  const after = `${log}/${session}/${seq}`;
  const from = positionAfter(after, session);
  const entries = follow({
    source,
    session,
    position: from,
    now: () => performance.now(),
    after: () => () => undefined,
  });
  await expect(entries.next()).rejects.toMatchObject({ code: "CURSOR_UNKNOWN" });
  expect(await user.refusal("agent.session.wait", { session, until: "idle", after })).toMatchObject({
    code: "CURSOR_UNKNOWN",
  });
});
