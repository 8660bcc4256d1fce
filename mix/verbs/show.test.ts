// SPDX-License-Identifier: MIT OR Apache-2.0
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SessionUsage } from "../../agentd/vocabulary/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";
import type { ScriptedSession } from "../testing/scripted-session.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => {
  vi.unstubAllEnvs();
  return bench.close();
});

test("show has what the turns used, as far as the agent said it", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  session.append({ kind: "state", state: "idle" });
  const used = async (usage_total: SessionUsage) => {
    session.shown = { usage_total };
    return /^used .*$/m.exec((await bench.run(["agent", "show", "sessionaaaaa"])).stdout)?.[0];
  };
  const cost = { amount: 0.25, currency: "EUR" };
  expect(await used({ turns: 2, total_tokens: 1200, input_tokens: 1000, output_tokens: 200, cost })).toMatch(
    /^used +1200 tokens, 1000 in, 200 out, 0.25 EUR in 2 turns$/,
  );
  expect(await used({ turns: 1, cost })).toMatch(/^used +0.25 EUR in 1 turn$/);
});

test("show has the agent's commands and its options' values, and local times", async () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa", { agent: "demo", cwd: join(bench.directory, "src") });
  session.shown = {
    commands: [{ name: "plan", description: "Work through\na plan" }],
    usage: { used: 0, size: 1000 },
  };
  const shown = async (): Promise<string> => (await bench.run(["agent", "show", "sessionaaaaa"])).stdout;
  const text = await shown();
  expect(text).toMatch(/^started +Mon 2026-11-30 13:00:00, \d+\w ago$/m);
  expect(text).toMatch(/^loud +false +true, false$/m);
  expect(text).toMatch(/^\/plan +Work through\\na plan$/m);
  expect(text).toMatch(/^context +0 of 1000 tokens$/m);
  expect(text).not.toMatch(/^used/m);
  expect(text).not.toMatch(/^cost/m);
  session.shown = { usage: { used: null, size: 1000, cost: { amount: 0.5, currency: "EUR" } } };
  expect(await shown()).not.toMatch(/^context/m);
  expect(await shown()).toMatch(/^cost +0.5 EUR so far$/m);
});

test("show writes ~ for the home directory at a terminal only, and names an agent's command", async () => {
  const agentd = await bench.agentd();
  const cwd = join(bench.directory, "src");
  agentd.begin("sessionaaaaa", { agent: "mine", cwd }).shown = { command: ["/opt/mine", "--acp"] };
  const words = ["agent", "show", "sessionaaaaa"];
  const piped = (await bench.run(words)).stdout;
  expect(piped).toMatch(new RegExp(`^directory +${cwd}$`, "m"));
  expect(piped).toMatch(/^command +\/opt\/mine --acp$/m);
  expect((await bench.run(words, { tty: true })).stdout).toMatch(/^directory +~\/src$/m);
  expect((await bench.run([...words, "--no-trunc"], { tty: true })).stdout).toContain(cwd);
});

/** A session of two turns, the first of which had a question. */
function talk(session: ScriptedSession): void {
  for (const turn of [1, 2]) {
    const content = { type: "text", text: `prompt ${turn}` };
    session.append({ kind: "message", turn, role: "user", message_id: `u${turn}`, content });
    session.append({ kind: "turn", turn, phase: "started" }, { kind: "state", state: "running" });
    if (turn === 1) session.ask(turn, 1);
    if (turn === 1) session.runOut(turn, 1);
    session.append({ kind: "command", verb: "agent.session.cancel", by: `mix-${turn}`, origin: "local", args: {} });
    session.text(turn, `answer ${turn}`);
    session.endTurn(turn);
  }
  session.turns = 2;
}

test("show --transcript writes what attach shows, plain to a pipe, of the whole session or of one turn", async () => {
  const agentd = await bench.agentd({ pageMax: 3 });
  talk(agentd.begin("sessionaaaaa"));
  const words = ["agent", "show", "sessionaaaaa", "--transcript"];
  const all = await bench.run(words);
  expect(all).toMatchObject({ code: 0, stderr: "" });
  const parts = ["> prompt 1", "? allow: Write a.txt", "→ refused", "answer 1", "✔ turn 1", "> prompt 2", "✔ turn 2"];
  const places = parts.map((part) => all.stdout.indexOf(part));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  // A question that is closed is not offered to be answered.
  expect(all.stdout).not.toContain("permit allow");
  const second = await bench.run([...words, "--turn", "2"]);
  expect(second.stdout).toBe("> prompt 2\n\n■ cancel requested by mix-2\n\nanswer 2\n\n✔ turn 2 done in 0.0s\n");
  expect(await bench.run([...words, "--turn", "3"])).toEqual({ code: 0, stdout: "", stderr: "there is no turn 3\n" });
  expect(await bench.run([...words, "--json"])).toMatchObject({ code: 2, stdout: "" });
  expect(await bench.run(["agent", "show", "sessionaaaaa", "--turn", "1"])).toMatchObject({ code: 2, stdout: "" });
});

test("show has the plan under a heading", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa").shown = {
    plan: [
      { content: "Look", status: "completed" },
      { content: "Answer", status: "in_progress" },
    ] as never,
  };
  const { stdout } = await bench.run(["agent", "show", "sessionaaaaa"]);
  expect(stdout).toContain("\nPLAN         STEP\ncompleted    Look\nin progress  Answer\n");
});
