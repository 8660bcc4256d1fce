// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd is killed while an agent writes a file and runs a terminal through it: whatever was done had been logged before,
// no file is torn, nothing is left lying about or running, and the next agentd ends what this one had begun.
// @module-tag slow
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { toTemporaryName } from "../../agentd/session/core/client-side/files.ts";
import type { FailpointName } from "../../agentd/failpoint.ts";
import type { Scenario } from "../scripted-agent/scenario.ts";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import { leftIn } from "../cases/living.ts";
import { makeCast, ofKind } from "../cases/scene.ts";
import { BusUser } from "../harness/bus-user.ts";
import { startDaemonHere } from "../harness/daemon-here.ts";
import { readLogFile } from "./logged.ts";
import { startMortalDaemon } from "./mortal-daemon.ts";

vi.setConfig({ testTimeout: 120_000 });

const [old, fresh] = ["old\n", "new\n".repeat(100_000)];

/** The one thing that is done, then nothing more. */
const doing: Scenario = {
  rules: [
    {
      on: "session/prompt",
      match: "write",
      do: [{ request: "fs/write_text_file", params: { sessionId: "$sessionId", path: "$cwd/file", content: fresh } }],
    },
    {
      on: "session/prompt",
      match: "run",
      do: [
        {
          request: "terminal/create",
          params: { sessionId: "$sessionId", command: "/bin/sh", args: ["-c", "echo ran > ran; exec sleep 600"] },
        },
      ],
    },
  ],
};

/** The first reach is the prompt's, the second the request's, the third its end's. */
const moments: readonly (readonly [FailpointName, number])[] = [
  ["frame_from_agent.before", 1],
  ["log.before", 2],
  ["commit.before", 2],
  ["log.after", 2],
  ["frame_to_agent.before", 2],
  ["frame_to_agent.after", 2],
  ["publish.before", 2],
  ["log.before", 3],
  ["log.after", 3],
  ["frame_to_agent.before", 3],
];
/** A terminal that runs has no third. */
const momentsOf = (prompt: string) => moments.filter(([, nth]) => prompt === "write" || nth < 3);

const deaths = ["write", "run"].flatMap((prompt) => momentsOf(prompt).map(([point, nth]) => ({ prompt, point, nth })));

test.concurrent.each(deaths)("killed at $point, reach $nth, of $prompt, nothing is torn or left", async (death) => {
  using cast = makeCast({ scripted: doing });
  const { place } = cast;
  const cwd = place.directory();
  writeFileSync(join(cwd, "file"), old);
  const session = await die(place, cwd, death);

  const logged = await readLogFile(place);
  const before = logged.sessions.get(session)?.entries ?? [];
  const text = readFileSync(join(cwd, "file"), "utf8");
  expect([old, fresh]).toContain(text);
  const [intended] = ofKind(before, "file");
  if (text === fresh) expect(intended).toMatchObject({ phase: "intended", bytes: fresh.length });
  if (existsSync(join(cwd, "ran"))) expect(ofKind(before, "terminal")).toMatchObject([{ phase: "started" }]);
  // As if the write itself had been cut off.
  if (intended && ofKind(before, "file").length === 1)
    writeFileSync(join(cwd, toTemporaryName(session, intended.seq)), "ha");

  const entries = await recovered(place, session);
  expect(await leftIn(place)).toEqual([]);
  expect(readdirSync(cwd).filter((name) => name !== "ran")).toEqual(["file"]);
  expect(readFileSync(join(cwd, "file"), "utf8")).toBe(text);
  const ends = ofKind(entries, "file").filter((entry) => entry.intended !== undefined);
  expect(ends.map((entry) => entry.intended)).toEqual(intended ? [intended.seq] : []);
  if (ends[0]?.phase === "done") expect(text).toBe(fresh);
  const phases = ofKind(entries, "terminal").map(({ phase }) => phase);
  expect(phases).toEqual(ofKind(before, "terminal").length > 0 ? ["started", "exited", "released"] : []);
  expect(await recovered(place, session)).toEqual(entries);
});

type Place = ReturnType<typeof makeCast>["place"];

async function die(
  place: Place,
  cwd: string,
  { prompt, point, nth }: { readonly prompt: string; readonly point: FailpointName; readonly nth: number },
): Promise<string> {
  await using daemon = await startMortalDaemon(place, {});
  const user = await BusUser.watching(await daemon.connect());
  const session = await user.start({ agent: "scripted", cwd });
  await user.wait(session, "idle");
  await daemon.arm(point, nth);
  user.prompt(session, prompt).catch(() => {});
  await daemon.death();
  return session;
}

async function recovered(place: Place, session: string): Promise<Entry[]> {
  await using daemon = await startDaemonHere(place);
  const user = await BusUser.watching(await daemon.connect());
  expect((await user.call<{ ok: boolean }>("agent.log.verify", {})).ok).toBe(true);
  return await user.log(session);
}
