// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

const bare = async () => {
  const { code, stdout } = await bench.run(["agent"], { tty: true, env: { NO_COLOR: "1" } });
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  // One row of 24 is left for the shell's prompt.
  expect(lines.length).toBeLessThan(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  return lines;
};

test("without agentd, and without sessions, it says how to begin, and starts nothing", async () => {
  expect(await bare()).toEqual(
    expect.arrayContaining(["agentd is not running", expect.stringContaining("mix agent start demo")]),
  );
  await bench.agentd();
  expect((await bare())[0]).toBe("no sessions yet");
});

test("it says who waits and for what, who runs and since when, who ended and how, and what to type", async () => {
  const agentd = await bench.agentd();
  const asking = agentd.begin("aaaaaaaaaaaa", { agent: "demo", cwd: "/tmp/a", name: "main" });
  asking.append({ kind: "turn", turn: 1, phase: "started" }, { kind: "state", state: "waiting" });
  asking.ask(1, 1, { expires_at: null });
  const running = agentd.begin("bbbbbbbbbbbb", { agent: "claude", cwd: `${bench.directory}/src` });
  running.append({ kind: "turn", turn: 1, phase: "started" }, { kind: "state", state: "running" });
  agentd
    .begin("cccccccccccc", { agent: "demo", cwd: "/tmp/fresh", name: "docs" })
    .append({ kind: "state", state: "idle" });
  const error = { error_code: "AGENT_EXITED", message: "gone" } as const;
  agentd.begin("dddddddddddd").append({ kind: "state", state: "failed", error });
  agentd.begin("eeeeeeeeeeee").append({ kind: "state", state: "closed", reason: "asked" });
  const age = String.raw`\d+[smhd]`;
  expect((await bare()).join("\n")).toMatch(
    new RegExp(
      [
        String.raw`waiting for you \(1\)`,
        String.raw`  aaaaaaaaaaaa-1  demo main  no limit  edit Write a\.txt`,
        "",
        String.raw`running \(1\)`,
        `  bbbbbbbbbbbb    claude     ${age} +~/src`,
        "",
        String.raw`idle \(1\)`,
        `  cccccccccccc    demo docs  ${age} ago +/tmp/fresh`,
        "",
        "ended",
        `  dddddddddddd    demo       ${age} ago +failed: AGENT_EXITED · /tmp/fresh`,
        `  eeeeeeeeeeee    demo       ${age} ago +closed · /tmp/fresh`,
        "",
        "to answer: +mix agent permit show aaaaaaaaaaaa-1 .*",
        "to watch: +mix agent attach bbbbbbbbbbbb",
        'to go on: +mix agent send docs "…"',
        "all verbs: +mix agent --help$",
      ].join("\n"),
    ),
  );
});

test("however many sessions there are, it fits a screen and says how many more there are", async () => {
  const agentd = await bench.agentd();
  for (const [index, letter] of "abcdefghijklmnopqrstuvwxyz".split("").entries()) {
    const session = agentd.begin(letter.repeat(12), { agent: "demo", cwd: "/tmp/a" });
    session.shown = { title: "A title that is longer than any terminal of the usual width can show in a row" };
    if (index % 4 === 0) session.ask(1, 1);
    const state = (["waiting", "running", "idle", "closed"] as const)[index % 4] ?? "idle";
    session.append({ kind: "state", state });
  }
  const lines = await bare();
  expect(lines.filter((line) => line.includes("more: "))).toHaveLength(3);
  expect(lines).toContain("ended");
});

test("how a session comes back depends on what its agent can do", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("aaaaaaaaaaaa");
  session.append({ kind: "state", state: "closed" });
  session.shown = { agent_session_id: "a" };
  expect(await bare()).toContain("to begin anew:  mix agent resume aaaaaaaaaaaa --fresh");
  session.shown = { agent_session_id: "a", capabilities: { resume: true } };
  expect(await bare()).toContain('to come back:  mix agent send aaaaaaaaaaaa "…"');
});

test("text of agents is shown without its control characters", async () => {
  const agentd = await bench.agentd();
  agentd.begin("aaaaaaaaaaaa").shown = { title: "\u001b[2J\u202eevil\nrow", state: "idle" };
  expect((await bare()).join("\n")).toContain(String.raw`\x1b[2J\u202eevil\nrow`);
});

test("anywhere but at a terminal it is the list of verbs", async () => {
  await bench.agentd();
  expect((await bench.run(["agent"])).stdout).toMatch(/^usage: mix agent/);
});
