// SPDX-License-Identifier: MIT OR Apache-2.0
// `mix bus` is killed while agentd is a guest on it, and comes back.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { scriptedAgent } from "./scripted-agent/agent-files.ts";
import { BusUser } from "./harness/bus-user.ts";
import { startDaemonProcess } from "./harness/daemon-process.ts";
import { within } from "./harness/deadline.ts";
import { makePlace, type Place } from "./harness/place.ts";
import { openLogReader } from "./order/log-reader.ts";

const mixProgram = fileURLToPath(new URL("../dist/bin/mix.cjs", import.meta.url));

function mix(place: Place, ...words: string[]) {
  const child = spawn(process.execPath, [mixProgram, ...words], { env: place.environment, stdio: "pipe" });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  const closed = once(child, "close");
  return {
    child,
    said,
    closed,
    async shows(text: string): Promise<void> {
      const has = (): boolean => said.stdout.includes(text) || said.stderr.includes(text);
      const shown = (async () => {
        while (!has()) await Promise.race([once(child.stdout, "data"), once(child.stderr, "data")]);
      })();
      await within(30_000, () => `mix ${words.join(" ")} does not show ${text}, but ${JSON.stringify(said)}`, shown);
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await closed;
    },
  };
}

test("a guest of a `mix bus` that is killed stays a guest, works on, and is found when `mix bus` is back", async () => {
  // Turns end when the test makes the file: while the Bus is away.
  using agent = scriptedAgent((directory) => ({
    rules: [{ on: "session/prompt", do: [{ waitForFile: `${directory}/go` }, { reply: { stopReason: "end_turn" } }] }],
  }));
  using place = makePlace({ slow: agent.command });
  const first = mix(place, "bus");
  await using _first = first;
  await first.shows("bus.sock");
  await using daemon = await startDaemonProcess(place);
  const user = new BusUser(await daemon.connect());
  const session = await user.start({ agent: "slow", cwd: place.directory(), prompt: "work" });
  await using follower = mix(place, "agent", "log", session, "-f", "--json");
  await follower.shows('"phase":"started"');

  await killed(first.child);
  await follower.shows("the Bus is gone; waiting for it");
  await using log = openLogReader(`${place.stateDirectory}/log.db`);
  writeFileSync(`${agent.directory}/go`, "");
  await ended(log, session);
  expect(daemon.words()).not.toContain('"embedded":true');

  await using second = mix(place, "bus");
  await second.shows("bus.sock");
  await follower.shows('"stop_reason":"end_turn"');
  follower.child.kill("SIGINT");
  await follower.closed;
  const seqs = follower.said.stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  const listed = mix(place, "agent", "ls", "-q");
  await listed.closed;
  expect(listed.said.stdout).toBe(`${session}\n`);
  expect((await mixEnds(place, "bus")).stderr).toContain("a Bus is already listening on");
});

test("a `mix bus` that finds agentd hosting says what to type", async () => {
  using place = makePlace();
  await using _daemon = await startDaemonProcess(place);
  const { stderr } = await mixEnds(place, "bus");
  expect(stderr).toContain("agentd already hosts a Bus on");
  expect(stderr).toContain("`mix agent stop`, then `mix bus`");
});

async function mixEnds(place: Place, ...words: string[]): Promise<{ stdout: string; stderr: string }> {
  await using run = mix(place, ...words);
  await within(30_000, `mix ${words.join(" ")} does not end`, run.closed);
  return run.said;
}

async function killed(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Its turn has ended, by the log on the disk. */
async function ended(log: ReturnType<typeof openLogReader>, session: string): Promise<void> {
  const isEnded = async (): Promise<boolean> =>
    (await log.entries(session)).some((entry) => entry.kind === "turn" && entry.phase === "ended");
  await within(
    20_000,
    "the turn does not end",
    (async () => {
      while (!(await isEnded()));
    })(),
  );
}
