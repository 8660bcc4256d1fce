// SPDX-License-Identifier: MIT OR Apache-2.0
// The command line's verbs for the log, with a real daemon.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Bench } from "../mix/testing/command-line-under-test.ts";
import { openScene } from "./cases/scene.ts";

const secret = "sk-canary-0123456789abcdef";

test("a session is exported, a secret is taken out of it, and it is purged, in a log that stays sound", async () => {
  const say = { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `it is ${secret}` } } };
  await using scene = await openScene({ scripted: { rules: [{ on: "session/prompt", do: [say, "default"] }] } });
  const bench = await Bench.create();
  try {
    const mix = (words: readonly string[], stdin?: string) => {
      const env = { MIXOS_NODED_URL: scene.daemon.daemon.busUrl() };
      return bench.run(["agent", ...words], stdin === undefined ? { env } : { env, stdin });
    };
    const session = await scene.idle();
    await scene.user.prompt(session, "which key?");
    await scene.user.entry(session, (entry) => entry.kind === "turn" && entry.phase === "ended");
    expect((await mix(["purge", session])).stderr).toContain("SESSION_STATE");
    expect((await mix(["close", session])).code).toBe(0);

    const exported = (await mix(["export", session])).stdout;
    expect(exported).toContain(secret);
    expect(
      exported
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(await scene.user.log(session));
    expect((await mix(["redact", "--dry-run"], `${secret}\n`)).stdout).toMatch(/^found in 1 entry/);
    expect((await mix(["redact"], `${secret}\n`)).stdout).toMatch(/^removed from 1 entry/);
    expect((await mix(["redact"], `${secret}\n`)).stdout).toBe("the secret is not in the log\n");
    expect((await mix(["export", session])).stdout).toContain("it is [redacted]");
    expect(readFileSync(join(scene.place.stateDirectory, "log.db")).includes(secret)).toBe(false);

    expect((await mix(["stats", "-q", "--top", "1"])).stdout).toBe(`${session}\n`);
    expect((await mix(["prune", "--before", "30d"])).stderr).toContain("0 sessions");
    expect((await mix(["purge", session, "--id", "once"])).stdout).toMatch(/ lost \d+ entries\n$/);
    expect(await mix(["verify"])).toMatchObject({ code: 0, stdout: "" });
  } finally {
    await bench.close();
  }
});
