// SPDX-License-Identifier: MIT OR Apache-2.0
// No room, or no way to write: nothing runs unlogged, agents can still be ended, and it all goes on by itself afterwards.
// @module-tag slow
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Step } from "../scripted-agent/scenario.ts";
import type { Entry, StatusReply } from "../../agentd/vocabulary/index.ts";
import { leftIn, leftOf } from "../cases/living.ts";
import { makeCast, ofKind, shortGraces } from "../cases/scene.ts";
import { BusUser, Refused } from "../harness/bus-user.ts";
import { startDaemonHere } from "../harness/daemon-here.ts";
import type { Place } from "../harness/place.ts";
import { openLogReader } from "../order/log-reader.ts";
import { fillDisk, mountSmallDisk } from "./mounts.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };

interface Outage extends AsyncDisposable {
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** The disk that the state directory is on has no byte left. Undefined where nobody may mount a small one. */
function fullDisk({ stateDirectory }: Place): Outage | undefined {
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  const disk = mountSmallDisk(stateDirectory, "8m");
  if (!disk) return undefined;
  let makeRoom = (): void => {};
  return {
    begin() {
      makeRoom = fillDisk(stateDirectory);
      return Promise.resolve();
    },
    end: () => Promise.resolve(makeRoom()),
    [Symbol.asyncDispose]: () => Promise.resolve(disk[Symbol.dispose]()),
  };
}

/** Another process has the log for itself. */
function heldLog({ stateDirectory }: Place): Outage {
  let reader: ReturnType<typeof openLogReader> | undefined;
  return {
    async begin() {
      reader ??= openLogReader(join(stateDirectory, "log.db"));
      await reader.hold();
    },
    end: async () => await reader?.release(),
    [Symbol.asyncDispose]: async () => await reader?.[Symbol.asyncDispose](),
  };
}

/** Its write-ahead log, or all that agentd has, is elsewhere for a while. */
function movedAway(name: string): (place: Place) => Outage {
  return ({ stateDirectory }) => {
    const file = join(stateDirectory, name);
    const move = (from: string, to: string) => Promise.resolve(renameSync(from, to));
    return {
      begin: () => move(file, `${file}.moved`),
      end: () => move(`${file}.moved`, file),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  };
}

test.for([
  ["is on a full disk", fullDisk, "full"],
  ["is held by another process", heldLog, "busy"],
  ["has lost its write-ahead log", movedAway("log.db-wal"), "gone"],
  ["is not where it was", movedAway("log.db"), "gone"],
] as const)(
  "while the log %s no command runs, agents can be ended and at last all are, and it goes on by itself (case 131)",
  async ([, outageOf, reason], { skip }) => {
    using cast = makeCast({
      scripted: (directory) => ({
        initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
        rules: [
          {
            on: "session/prompt",
            match: "talk",
            do: [{ text: "so far" }, { waitForFile: `${directory}/go` }, endTurn],
          },
          { on: "session/resume", do: [{ reply: {} }] },
        ],
      }),
    });
    const { place } = cast;
    await using outage = outageOf(place) ?? skip("mounting a small disk takes root on Linux");
    await using daemon = await startDaemonHere(place, { limits: { ...shortGraces, storeFailedGraceMs: 3_000 } });
    const user = await BusUser.watching(await daemon.connect());
    const start = async (): Promise<string> => {
      const session = await user.start({ agent: "scripted", cwd: place.directory() });
      await user.wait(session, "idle");
      return session;
    };
    const [asked, talking, closing, quiet] = [await start(), await start(), await start(), await start()];
    await user.prompt(talking, "talk");
    await user.entry(talking, (entry) => entry.kind === "message" && entry.role === "agent");
    const pidOf = async (session: string): Promise<number> =>
      ofKind(await user.log(session), "state").find(({ process }) => process)?.process?.pid ?? -1;
    const pids = await Promise.all([talking, closing, quiet].map(pidOf));

    await outage.begin();
    // What the write-ahead log has room for is still logged, and run.
    const accepted: string[] = [];
    let refused: Refused | undefined;
    while (!refused) {
      const word = `word-${accepted.length} ${"x".repeat(100_000)}`;
      const result = await user.prompt(asked, word, "queue").catch((error: unknown) => error);
      if (result instanceof Refused) refused = result;
      else accepted.push(word);
    }
    expect(refused).toMatchObject({ code: "STORE_FAILED", body: { reason } });
    expect(refused.body["stopped"]).toBeUndefined();
    const cwd = place.directory();
    expect((await user.refusal("agent.session.start", { agent: "scripted", cwd })).code).toBe("STORE_FAILED");
    for (const [verb, session] of [
      ["agent.session.cancel", talking],
      ["agent.session.close", closing],
    ] as const) {
      expect(await user.refusal(verb, { session })).toMatchObject({
        code: "STORE_FAILED",
        body: { reason, stopped: true },
      });
    }
    expect(await leftOf(pids.slice(0, 2))).toEqual([]);
    expect(await leftIn(place)).toEqual([]);
    expect((await user.call<StatusReply>("agent.status", {})).log.error).toMatch(/\S/u);
    const given = cast
      .agent()
      .received()
      .filter(({ method }) => method === "session/prompt");

    await outage.end();
    for (const session of [asked, talking, closing, quiet]) {
      const ended = await user.wait(session, "ended");
      expect(ended).toMatchObject({ state: "lost", error: { error_code: "STORE_FAILED" } });
      const log = await user.log(session);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_entry, index) => index + 1));
      const turns = ofKind(log, "turn");
      const ends = turns.filter(({ phase }) => phase === "ended").map(({ turn }) => turn);
      expect(ends.toSorted((a, b) => a - b)).toEqual([...new Set(turns.map(({ turn }) => turn))]);
    }
    // What any agent was given stands in the log, and nothing that was refused does.
    const logged = userWords(await user.log(asked));
    expect(logged).toEqual(accepted);
    expect(given.length).toBeLessThanOrEqual(1 + accepted.length);
    await user.call("agent.session.resume", { session: asked });
    await user.wait(asked, "idle");
    await user.prompt(asked, "and on");
    await user.wait(asked, "idle");
    expect(userWords(await user.log(asked))).toEqual([...accepted, "and on"]);
    expect(await user.call("agent.log.verify", {})).toMatchObject({ ok: true, problems: [] });
    expect((await user.call<StatusReply>("agent.status", {})).log.error).toBeUndefined();
    await start();
  },
);

function userWords(log: readonly Entry[]): unknown[] {
  return ofKind(log, "message")
    .filter(({ role }) => role === "user")
    .map(({ content }) => content["text"]);
}
