// SPDX-License-Identifier: MIT OR Apache-2.0
// What `mix complete` answers, by a scripted agentd.
import { realpathSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { done } from "../../bus-client/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";
import { lines } from "../testing/words.ts";
import { verbOf } from "../input/verb.ts";
import { agentVerbs, busVerbs } from "../verbs/table.ts";
import { completionOf } from "./candidates.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.create();
  const agentd = await bench.agentd();
  const cwd = realpathSync(bench.directory);
  agentd.begin("sessionlivea", { agent: "demo", name: "work", cwd }).append({ kind: "state", state: "idle" });
  agentd.begin("sessionendaa").append({ kind: "state", state: "closed" });
  agentd.session("sessionlivea").ask(1, 1);
  agentd.session("sessionlivea").askForm(1, 2);
});
afterAll(() => bench.close());

/** The last word is the one being typed. First what the shell completes by itself, then the candidates. */
async function offered(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await bench.run(["complete", "--", ...words]);
  expect([code, stderr]).toEqual([0, ""]);
  return lines(stdout).map((line) => line.split("\t")[0] ?? "");
}

const live = ["work", "sessionlivea"];
const ended = ["sessionendaa"];

test.each([
  [["agent", "close", ""], live],
  [["agent", "send", "w"], ["work"]],
  // It resumes a session that has ended.
  [
    ["agent", "send", "session"],
    ["sessionlivea", "sessionendaa"],
  ],
  [["agent", "resume", ""], ended],
  [["agent", "purge", "--dry-run", ""], ended],
  [
    ["agent", "log", "--kind", "message", "-f", ""],
    [...live, ...ended],
  ],
  [
    ["agent", "log", "abc", "--kind", "t"],
    ["turn", "tool_call", "terminal"],
  ],
  [["agent", "log", "abc", "--kind=turn,te"], ["--kind=turn,terminal"]],
  [["agent", "ls", "--state", "idle,wai"], ["idle,waiting"]],
  [["agent", "wait", "abc", "--for", "i"], ["idle"]],
  [["agent", "wait", "abc", "def", "w"], ["work"]],
  [["agent", "acp", "l"], ["login"]],
  [["agent", "acp", "--print-config", "c"], ["codecompanion"]],
  [["agent", "set", "abc", ""], []],
  [
    ["agent", "set", "work", ""],
    ["mode=ask", "loud=true", "loud=false"],
  ],
  [["agent", "set", "work", "mode=ask", "loud=t"], ["loud=true"]],
  [["agent", "set", "mo"], ["mode=ask"]],
  [["agent", "set", "w"], ["work"]],
  [["agent", "help", "sen"], ["send"]],
  [["agent", "ps", "--state", "idl"], ["idle"]],
  [["agent", "start", ""], ["demo"]],
  [["agent", "close", "abc", ""], []],
  [
    ["agent", "permit", ""],
    ["ls", "show", "allow", "deny"],
  ],
  [["agent", "permit", "allow", ""], ["sessionlivea-1"]],
  [["agent", "permit", "ls", ""], []],
  [["agent", "permit", "ls", "--session=sessione"], ["--session=sessionendaa"]],
  [["agent", "answer", ""], ["sessionlivea-2"]],
  [["agent", "policy", ""], ["test"]],
  [
    ["notify", ""],
    ["ls", "answer", "watch"],
  ],
  [["call", "ag"], ["agent"]],
  [["completion", "f"], ["fish"]],
  [["agent", "resume", "--f"], ["--fresh"]],
  [["agent", "resume", "--fresh", "--f"], []],
  [["agent", "start", "demo", "--set", "a=b", "--se"], ["--set"]],
  [["agent", "status", "--no-a"], []],
  [["agent", "start", "--", "--f"], []],
  [["ag"], ["agent"]],
  [["-"], ["--help", "--version"]],
  [
    ["agent", "st"],
    ["start", "stats", "status", "stop"],
  ],
  [["agent", "nosuch", ""], []],
  [["agent", "__proto__", ""], []],
  [["complete", ""], []],
] as const)("after %j comes %j", async (words, wanted) => {
  expect((await offered(...words)).toSorted()).toEqual(["nothing", ...wanted].toSorted());
});

test.each([
  [["agent", "start", "demo", "--cwd", ""], "directories"],
  [["agent", "start", "demo", "--cwd=/t"], "directories"],
  [["agent", "send", "abc", "--file", ""], "files"],
  [["agent", "send", "abc", "look at", "src/"], "files"],
  [["agent", "policy", "test", ""], "files"],
])("after %j the shell offers %s", async (words, byShell) => {
  expect(await offered(...words)).toEqual([byShell]);
});

test("a candidate comes with words about it, and without words nothing is typed yet", async () => {
  const about = async (...words: string[]) => (await bench.run(["complete", "--", ...words])).stdout;
  expect(await about("agent", "close", "w")).toBe("nothing\nwork\tdemo, idle\n");
  expect(await about("agent", "permit", "allow", "")).toContain("sessionlivea-1\tWrite a.txt\n");
  expect(await about("agent", "cancel", "--qu")).toBe("nothing\n--quiet\tprint ids only\n");
  expect(lines(await about()).slice(0, 2)).toEqual(["nothing", "agent\tcoding agents as sessions"]);
});

test("what a service is called is offered as it is, and not at all where it has what nobody sees", async () => {
  const other = await Bench.create();
  const reply = { agents: ["$(echo run)", "a\u202eb", "c\td", ""].map((agent) => ({ agent, installed: true })) };
  await other.agentd({ replies: { "agent.list": done(reply) } });
  const { stdout } = await other.run(["complete", "--", "agent", "start", ""]);
  expect(stdout).toBe("nothing\n$(echo run)\tinstalled\n");
  await other.close();
});

test(
  "without a Bus, and with an agentd that does not answer, there is soon nothing, and no agentd is started",
  { tags: "slow" },
  async () => {
    const words = ["complete", "--", "agent", "close", ""];
    const nowhere = await bench.run(words, { env: { MIXOS_NODED_URL: `unix://${bench.directory}/none.sock` } });
    expect(nowhere).toEqual({ code: 0, stdout: "nothing\n", stderr: "" });
    const other = await Bench.create();
    await other.agentd({ replies: { "agent.session.list": undefined as never } });
    const began = performance.now();
    expect(await other.run(words)).toEqual({ code: 0, stdout: "nothing\n", stderr: "" });
    expect(performance.now() - began).toBeLessThan(5_000);
    await other.close();
  },
);

test("every verb that takes a session or has verbs of its own says what stands there, and every flag takes a value or none wherever it stands", async () => {
  const flags = new Map<string, string>();
  for (const [group, table] of [
    [["agent"], agentVerbs],
    [[], busVerbs],
  ] as const) {
    for (const [verb, entry] of Object.entries(table)) {
      const { spec } = await verbOf(entry);
      const asked = completionOf([...group, verb, ""], { agentVerbs, busVerbs }, async (what) => [
        { value: typeof what === "string" ? what : "options" },
      ]);
      const { candidates } = await asked;
      if (/[<[]session| \| /.test(spec.usage)) expect([verb, candidates]).not.toEqual([verb, []]);
      if (/[<[]session/.test(spec.usage)) expect(candidates[0]?.value).toMatch(/ sessions$/);
      for (const [name, { kind }] of Object.entries(spec.flags)) {
        const takes = kind === "switch" ? "nothing" : "a value";
        expect([name, flags.get(name) ?? takes]).toEqual([name, takes]);
        flags.set(name, takes);
      }
    }
  }
});
