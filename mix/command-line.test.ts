// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "./testing/command-line-under-test.ts";
import { lines, says } from "./testing/words.ts";
import { verbOf } from "./input/verb.ts";
import { agentVerbs, busVerbs } from "./verbs/table.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("a refusal is written to stderr as code and message, or as one JSON object", async () => {
  await bench.agentd();
  const plain = await bench.run(["agent", "start", "nobody"]);
  expect(plain).toEqual({ code: 4, stdout: "", stderr: "AGENT_UNKNOWN: no agent nobody\n" });
  const json = await bench.run(["agent", "show", "nothing", "--json"]);
  expect(json.code).toBe(4);
  expect(JSON.parse(json.stderr)).toEqual({
    error: { code: "SESSION_UNKNOWN", message: "no session nothing", session: "nothing" },
  });
});

test("without agentd every verb exits with 6 if it may not start it, and stop and status always do", async () => {
  for (const words of [["ls", "--no-autostart"], ["stop"], ["status"]]) {
    const ran = await bench.run(["agent", ...words]);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(/^UNREACHABLE: /);
  }
  expect((await bench.run(["agent", "ls"], { env: { AGENTD_AUTOSTART: "0" } })).code).toBe(6);
  expect((await bench.run(["services"], { env: { MIXOS_NODED_URL: "ws+unix:///nowhere/bus.sock:/ws" } })).code).toBe(6);
});

test("an unknown verb and an unknown flag exit with 2 and list the known ones", async () => {
  const verb = await bench.run(["agent", "resurrect"]);
  expect(verb).toMatchObject({ code: 2, stdout: "" });
  expect(verb.stderr).toContain("start, send");
  const flag = await bench.run(["agent", "ls", "--every"]);
  expect(flag.code).toBe(2);
  expect(flag.stderr).toContain("--every");
  expect((await bench.run(["agent", "toString"])).code).toBe(2);
  const json = await bench.run(["agent", "ls", "--every", "--json"]);
  expect((JSON.parse(json.stderr) as { error: { code: string } }).error.code).toBe("USAGE");
});

test("a verb with several forms and no arguments shows its help, as `mix agent` and `mix help` do", async () => {
  for (const words of [["agent"], ["help"], ["agent", "help"], ["agent", "permit"], ["notify"]]) {
    const ran = await bench.run(words);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^usage: mix /), stderr: "" });
  }
});

test("the overviews fit the terminal and list every verb; that of mix fits a screen", async () => {
  const [whole, agent] = [await bench.run([]), await bench.run(["agent", "--help"])];
  for (const { stdout } of [whole, agent]) {
    for (const verb of Object.keys(agentVerbs)) expect(stdout).toMatch(new RegExp(`^  .*\\b${verb}\\b`, "m"));
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(80);
  }
  expect(lines(whole.stdout).length).toBeLessThan(24);
});

test("help and --version are understood at every level, and ps is ls", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa");
  const help = (await bench.run(["agent", "send", "--help"])).stdout;
  expect(help).toMatch(/^usage: mix agent send .*\[--queue\]/);
  expect((await bench.run(["agent", "help", "send"])).stdout).toBe(help);
  expect((await bench.run(["help", "agent", "send"])).stdout).toBe(help);
  expect((await bench.run(["help", "call"])).stdout).toMatch(/^usage: mix call /);
  expect((await bench.run(["help", "agent", "-q"])).stdout).toContain("agent.session.list\n");
  for (const words of [[], ["agent"], ["agent", "ls"], ["agent", "send"], ["call"]])
    expect(await bench.run([...words, "--version"])).toEqual({ code: 0, stdout: "mix 0.0.0\n", stderr: "" });
  expect((await bench.run(["agent", "ps", "-q"])).stdout).toBe("sessionaaaaa\n");
});

test.each([
  [["agent", "sned"], "did you mean send?"],
  [["agent", "permti", "ls"], "did you mean permit?"],
  [["agent", "ver"], "did you mean verify?"],
  [["agent", "list"], "did you mean ls?"],
  [["agnet", "ls"], "did you mean agent?"],
  [["agent", "get"], "did you mean show?"],
  [["agent", "history"], "did you mean show --transcript, or log?"],
  [["agent", "usage"], "did you mean show?"],
  [["agent", "stop", "mine"], "to end one session: mix agent close mine"],
  [["agent", "approve"], "did you mean permit allow?"],
  [["agent", "help", "shwo"], "did you mean show?"],
  [["ls"], "did you mean mix agent ls?"],
  [["servces"], "did you mean services?"],
  [["agent", "ls", "--al"], "did you mean --all?"],
  [["agent", "send", "--nowait"], "did you mean --no-wait?"],
])("%j: %s", async (words, question) => {
  const ran = await bench.run(words);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain(question);
});

test("every flag with a duration takes several units, and refuses a number alone in the same words", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa").append({ kind: "state", state: "idle" });
  expect((await bench.run(["agent", "wait", "sessionaaaaa", "--timeout", "1h30m500ms"])).code).toBe(0);
  expect((await bench.run(["agent", "prune", "--before", "1d12h", "--dry-run"])).stderr).not.toContain("USAGE");
  for (const words of [
    ["agent", "wait", "x"],
    ["call", "agent", "agent.status"],
    ["listen", "x"],
  ]) {
    expect(await bench.run([...words, "--timeout", "90"])).toMatchObject({
      code: 2,
      stderr:
        'USAGE: --timeout: "90" is not a duration; write a number and ms, s, m, h, d or w, such as "30m" or "1h30m"; did you mean "90s"?\n',
    });
  }
});

test("the overview of the verbs lists the exit codes; a verb's help says how to name a session and leaves out flags without effect", async () => {
  expect((await bench.run(["agent", "--help"])).stdout).toContain("3 time limit");
  const show = (await bench.run(["agent", "show", "--help"])).stdout.replaceAll("\n", " ");
  expect(show).toContain("by its id, a unique prefix of the id, or its name");
  expect(show).toContain("--no-autostart");
  expect((await bench.run(["agent", "stop", "--help"])).stdout).not.toContain("--no-autostart");
});

test("the help says which session a verb takes where none is named", async () => {
  const without = async (verb: string) => {
    const { stdout } = await bench.run(["agent", verb, "--help"]);
    return /Without it: ([^.]*)\./.exec(stdout.replaceAll(/\s+/g, " "))?.[1];
  };
  const live = "the only live one of this directory";
  expect(await without("close")).toBe(live);
  expect(await without("show")).toBe(`${live}, or else the latest ended one`);
  expect(await without("resume")).toBe("the latest ended one of this directory");
  expect(await without("purge")).toBeUndefined();
});

test("the help of every verb fits a screen and shows an example", async () => {
  for (const [table, before] of [
    [agentVerbs, ["agent"]],
    [busVerbs, []],
  ] as const) {
    for (const [verb, entry] of Object.entries(table)) {
      // Lines may be wrapped anywhere.
      expect((await verbOf(entry)).spec.about).not.toContain("\n");
      const { code, stdout } = await bench.run([...before, verb, "--help"]);
      expect(code).toBe(0);
      expect(lines(stdout).length).toBeLessThan(24);
      expect(stdout).toContain("example: ");
      expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(80);
    }
  }
});

test("an agent cannot repaint the terminal by a text, title, option or question", async () => {
  const evil = "\u001b[2Jevil\u202e\u0007";
  await bench.agentd({
    onPrompt: (session, turn) => {
      session.text(turn, evil, "thought");
      session.text(turn, evil);
      session.append({
        kind: "tool_call",
        turn,
        tool_call_id: evil,
        title: evil,
        tool_kind: evil,
        status: "completed",
        content: [
          { type: "diff", path: evil, newText: evil },
          { type: "content", content: { type: "text", text: evil } },
        ],
      });
      session.append({
        kind: "plan",
        turn,
        plan_id: "p",
        entries: [{ content: evil, priority: "high", status: "pending" }],
      });
      session.append({ kind: "notice", turn, severity: evil, title: evil });
      session.append({ kind: "diagnostic", turn, what: evil, message: evil });
      session.append({
        kind: "permission",
        turn,
        request: "r-1",
        phase: "requested",
        tool_call: { tool_call_id: "t", title: evil, raw_input: { command: evil } },
        options: [{ option: evil, name: evil, kind: evil }],
        expires_at: null,
        notified: true,
      });
      session.endTurn(turn, evil);
    },
  });
  const ran = await bench.run(["agent", "start", "demo", "x"]);
  // eslint-disable-next-line no-control-regex
  expect(/[\u001b\u0007\u202e]/.test(ran.stdout + ran.stderr)).toBe(false);
  expect(ran.stdout).toContain("\\x1b[2Jevil");
  const log = await bench.run(["agent", "log", "sessiona"]);
  // eslint-disable-next-line no-control-regex
  expect(/[\u001b\u0007\u202e]/.test(log.stdout)).toBe(false);
});

test("NO_COLOR turns off the colours of a terminal", async () => {
  await bench.agentd({ onPrompt: says("ok") });
  const coloured = await bench.run(["agent", "start", "demo", "x"], { tty: true });
  const plain = await bench.run(["agent", "start", "demo", "x"], { tty: true, env: { NO_COLOR: "1" } });
  expect(coloured.stdout).toContain("\u001b[32m✔ turn 1 done");
  expect(plain.stdout).not.toContain("\u001b[");
});

test("a session's own agent is named after its session", async () => {
  const agentd = await bench.agentd({ onPrompt: says("ok") });
  await bench.run(["agent", "start", "demo"], { env: { AGENTD_SESSION: "logloglogaaa/sessionzzzza" } });
  const command = agentd.session("sessionaaaaa").entries.find(({ kind }) => kind === "command");
  expect((command as { by: string }).by).toMatch(/^mcp-s-sessionzzzza-[a-z2-7]{4}$/);
});
