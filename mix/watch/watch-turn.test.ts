// SPDX-License-Identifier: MIT OR Apache-2.0
import { BusClient } from "../../bus-client/index.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";
import { objects, says } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("a follower that gets no publications still sees the turn's end", { timeout: 20_000, tags: "slow" }, async () => {
  const agentd = await bench.agentd({ mute: true });
  const running = bench.start(["agent", "start", "demo", "x", "--json"]);
  await running.shows('"started"');
  says("ok")(agentd.session("sessionaaaaa"), 1);
  const ran = await running.ended;
  expect(ran.code).toBe(0);
  expect(objects(ran.stdout).map(({ seq }) => seq)).toEqual(objects(ran.stdout).map((_, index) => index + 1));
  expect(agentd.session("sessionaaaaa").state).toBe("idle");
});

test("an entry that another citizen publishes on agentd's topic is ignored", async () => {
  const agentd = await bench.agentd();
  const running = bench.start(["agent", "start", "demo", "x", "--json"]);
  await running.shows('"running"');
  const session = agentd.session("sessionaaaaa");
  const seq = session.entries.length + 1;
  const forged = { ...session.entries.at(-1), seq, kind: "turn", turn: 1, phase: "ended", stop_reason: "end_turn" };
  const stranger = new BusClient({ url: bench.url, name: "stranger" });
  await stranger.connect();
  const published = await stranger.publishAndConfirm("agent.session.updated", JSON.stringify(forged));
  await stranger.stop();
  expect(JSON.parse(published.body)).toMatchObject({ delivered: 1 });
  session.text(1, "the true end");
  session.endTurn(1, "max_tokens");
  const ran = await running.ended;
  expect(ran.stdout).toContain("the true end");
  expect(ran.code).toBe(1);
});

test.each([
  ["max_tokens", 1],
  ["refusal", 1],
  ["cancelled", 1],
  ["end_turn", 0],
])("a turn that ends %s exits %i", async (stopReason, code) => {
  await bench.agentd({ onPrompt: (session, turn) => session.endTurn(turn, stopReason) });
  expect((await bench.run(["agent", "start", "demo", "x"])).code).toBe(code);
});

test("a session that fails because a login is needed exits with 7 and reports it once", async () => {
  const error = { error_code: "AGENT_AUTH", message: "log in first" } as const;
  await bench.agentd({ onStart: (session) => session.append({ kind: "state", state: "failed", error }) });
  const ran = await bench.run(["agent", "start", "demo"]);
  expect(ran.code).toBe(7);
  expect(ran.stdout).toContain("✘ session failed\n");
  expect(ran.stdout).not.toContain("AGENT_AUTH");
  expect(ran.stderr).toContain("AGENT_AUTH: log in first");
});

test("a failed turn without an error takes the session's", async () => {
  const error = { error_code: "AGENT_UNAVAILABLE", message: "gone" } as const;
  await bench.agentd({
    onPrompt: (session, turn) => {
      session.append(
        { kind: "turn", turn, phase: "ended", stop_reason: "failed", sent: true },
        { kind: "state", state: "failed", error },
      );
    },
  });
  expect((await bench.run(["agent", "start", "demo", "x"])).code).toBe(4);
});

test("if nobody could be asked a question, the exit code is 5 after the turn's end", async () => {
  await bench.agentd({
    onPrompt: (session, turn) => {
      session.ask(turn, 1);
      session.append({
        kind: "permission",
        turn,
        request: `${session.id}-1`,
        phase: "resolved",
        outcome: "selected",
        option: "no",
        via: "timeout",
      });
      session.text(turn, "then not");
      session.endTurn(turn);
    },
  });
  const ran = await bench.run(["agent", "start", "demo", "x"]);
  expect(ran.code).toBe(5);
  expect(ran.stdout).toContain("then not");
  // It was listed all the time, so somebody could have answered.
  expect(ran.stderr).toContain("UNANSWERED: a question timed out unanswered, and nobody was told of it");
});

test("unanswered questions are counted at the end of start and attach, and by show", async () => {
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => {
      session.ask(turn, 1, { notified: true });
      session.runOut(turn, 1);
      if (turn === 2) {
        session.askForm(turn, 2);
        session.runOut(turn, 2, "elicitation");
      }
      session.endTurn(turn);
    },
  });
  const show = async () => (await bench.run(["agent", "show", "sessionaaaaa"])).stdout;
  const [one, three] = ["1 question was refused: nobody answered", "3 questions were refused: nobody answered"];
  const started = await bench.run(["agent", "start", "demo", "x"]);
  expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining(`${one}\n`) });
  expect(await show()).toContain(one);
  const sent = await bench.run(["agent", "send", "sessionaaaaa", "y"]);
  // Counted for its own turn only.
  expect(sent.stderr).toContain("2 questions were refused: nobody answered\n");
  expect(await show()).toContain(three);
  const attached = bench.start(["agent", "attach", "sessionaaaaa"]);
  await attached.shows("turn 2 done");
  agentd.session("sessionaaaaa").append({ kind: "state", state: "closed", reason: "asked" });
  expect((await attached.ended).stderr).toContain("questions were refused: nobody answered\n");
  const answered = await bench.run(["agent", "start", "demo", "x", "--json"]);
  expect(answered.stderr).not.toContain("refused");
});

test("a question without a time limit that nobody is told of exits with 5 at once", async () => {
  await bench.agentd({ onPrompt: (session, turn) => session.ask(turn, 1, { expires_at: null }) });
  const ran = await bench.run(["agent", "start", "demo", "x"]);
  expect(ran.code).toBe(5);
  expect(ran.stderr).toContain("UNANSWERED: ");
});

test("a turn in which a person refused a tool does not fail, even if the agent then stops as cancelled", async () => {
  await bench.agentd({
    onPrompt: (session, turn) => session.ask(turn, 1),
    onAnswer: (session) => session.endTurn(1, "cancelled"),
  });
  const running = bench.start(["agent", "start", "demo", "x"]);
  await running.shows("permit allow sessionaaaaa-1");
  expect((await bench.run(["agent", "permit", "deny", "sessionaaaaa-1"])).code).toBe(0);
  expect((await running.ended).code).toBe(0);
});

test("the reason of a failed turn is on stderr, and JSON with --json", async () => {
  const error = { error_code: "AGENT_EXITED", message: "exit 1" } as const;
  await bench.agentd({ onPrompt: (session, turn) => session.endTurn(turn, "failed", { error }) });
  const json = await bench.run(["agent", "start", "demo", "x", "--json"]);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stderr)).toEqual({
    error: { code: "AGENT_EXITED", message: "exit 1", session: "sessionaaaaa" },
  });
  const quiet = await bench.run(["agent", "start", "demo", "x", "--quiet"]);
  expect(quiet.stderr).toBe("AGENT_EXITED: exit 1\n");
});

test.each([false, true])(
  "a question that arrives together with its answer shows no way to answer (from the log: %s)",
  async (mute) => {
    await bench.agentd({
      mute,
      onPrompt(session, turn) {
        const permission = { kind: "permission", turn, request: `${session.id}-1` } as const;
        session.append(
          { ...permission, phase: "requested", options: [{ option: "yes", name: "Yes", kind: "allow_once" }] },
          { ...permission, phase: "resolved", outcome: "selected", option: "yes", by: null, via: "policy" },
        );
        session.endTurn(turn);
      },
    });
    const ran = await bench.run(["agent", "start", "demo", "x"], { tty: true, env: { NO_COLOR: "1" } });
    expect(ran.stdout).toContain("→ allowed: … (by policy)");
    expect(ran.stdout).not.toMatch(/answer:|1\) Yes/);
    expect(ran.stderr).not.toContain("[y/n");
  },
  20_000,
);

test("with --no-ask the first question ends the turn and the run, with exit 5 and what was asked", async () => {
  const agentd = await bench.agentd({ onPrompt: (session, turn) => session.ask(turn, 1) });
  agentd.begin("sessionzzzza").append({ kind: "state", state: "idle" });
  for (const words of [
    ["start", "demo", "x"],
    ["send", "sessionzzzza", "x"],
  ]) {
    const ran = await bench.run(["agent", ...words, "--no-ask"]);
    expect(ran.code).toBe(5);
    expect(ran.stderr).toMatch(/UNANSWERED: the agent asked: edit Write a\.txt \(session\w+-1\)/);
    expect(ran.stderr).toContain("turn 1 was cancelled");
    expect(ran.stdout).not.toContain("mix agent permit");
  }
  const cancelled = agentd.asked.filter(([verb]) => verb === "agent.session.cancel").map(([, args]) => args);
  expect(cancelled).toEqual(["sessionaaaba", "sessionzzzza"].map((session) => ({ session, turn: 1 })));
  const json = await bench.run(["agent", "send", "sessionzzzza", "x", "--no-ask", "--json"]);
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "UNANSWERED", session: "sessionzzzza" } });
});

test("with --no-ask --close, nothing but the session's end is shown below the question", async () => {
  await bench.agentd({
    onPrompt: (session, turn) => session.ask(turn, 1),
    onCancel: (session) => session.append({ kind: "tool_call", turn: 1, tool_call_id: "t1", status: "failed" }),
  });
  const ran = await bench.run(["agent", "start", "demo", "x", "--no-ask", "--close"]);
  expect(ran.code).toBe(5);
  expect(ran.stdout).toMatch(/\? allow: Write a\.txt \(edit\)[^]*● session closed\n$/);
  expect(ran.stdout).not.toMatch(/cancel requested|tool {2}…/);
});

test("with --no-ask a question that a policy answers is not asked, and one outside of a turn is cancelled", async () => {
  const allowed = { phase: "resolved", outcome: "selected", option: "yes", via: "policy", by: null } as const;
  const agentd = await bench.agentd({
    onPrompt: (session, turn) => {
      const request = `${session.id}-1`;
      const options = [{ option: "yes", name: "Yes", kind: "allow_once" }];
      const asked = { phase: "requested", options, notified: false, expires_at: null } as const;
      session.append(
        { kind: "permission", turn, request, ...asked },
        { kind: "permission", turn, request, ...allowed },
      );
      session.endTurn(turn);
    },
    onStart: (session) => {
      if (session.turns > 0) return void session.append({ kind: "state", state: "idle" });
      session.append({
        kind: "elicitation",
        request: `${session.id}-1`,
        phase: "requested",
        mode: "form",
        message: "Who?",
      });
    },
  });
  expect((await bench.run(["agent", "start", "demo", "x", "--no-ask"])).code).toBe(0);
  const starting = await bench.run(["agent", "start", "demo", "--no-ask"]);
  expect(starting).toMatchObject({ code: 5, stderr: expect.stringContaining("the agent asked: Who?") as string });
  expect(agentd.asked.at(-1)).toEqual(["agent.elicitation.answer", { request: "sessionaaaba-1", action: "cancel" }]);
});

test.each([
  ["start", "demo", "x", "-d"],
  ["send", "abc", "x", "--no-wait"],
])("--no-ask of a turn that is not followed is a usage error: %s", async (...words) => {
  expect(await bench.run(["agent", ...words, "--no-ask"])).toMatchObject({ code: 2 });
});
