// SPDX-License-Identifier: MIT OR Apache-2.0
// What pressing Tab offers, by bash itself; `mix` is one that tells what it was asked.
import { execFileSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { agentWords, busWords, flagWords } from "./completed-words.ts";
import { Bench } from "./testing/command-line-under-test.ts";
import { agentVerbs, busVerbs } from "./verbs/table.ts";

let script: string;
beforeAll(async () => {
  const bench = await Bench.create();
  script = (await bench.run(["completion", "bash"])).stdout;
  await bench.close();
});

/** The last word is the one being typed. */
function offered(...words: string[]): string[] {
  return offeredBy(script, words);
}

function offeredBy(completion: string, words: readonly string[]): string[] {
  const typed = ["mix", ...words];
  const asked = `${completion}
    mix() { echo "<$*>" | tr " " "_"; }
    COMP_WORDS=(${typed.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${typed.length - 1}
    _mix; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", asked], { encoding: "utf8" }).trimEnd().split("\n");
}

const live = "<agent_ls_--quiet_--no-autostart>";
const all = "<agent_ls_--all_--quiet_--no-autostart>";
const ended = "<agent_ls_--state_closed,lost,failed_--quiet_--no-autostart>";

test.each([
  [["agent", "close", ""], [live]],
  [["agent", "resume", ""], [ended]],
  [["agent", "purge", "--dry-run", ""], [ended]],
  [["agent", "log", "--kind", "message", "-f", ""], [all]],
  [
    ["agent", "log", "abc", "--kind", "t"],
    ["turn", "tool_call", "terminal"],
  ],
  [["agent", "wait", "abc", "--for", "i"], ["idle"]],
  [["agent", "set", "abc", ""], [""]],
  [["agent", "start", ""], ["<agent_agents_--quiet_--no-autostart>"]],
  [["agent", "start", "demo", "--cwd", ""], [""]],
  [
    ["agent", "permit", ""],
    ["ls", "show", "allow", "deny"],
  ],
  [["agent", "permit", "allow", ""], ["<agent_permit_ls_--quiet_--no-autostart>"]],
  [["notify", "answer", ""], ["<notify_ls_--quiet>"]],
  [["call", ""], ["<services_--quiet>"]],
  [["completion", "f"], ["fish"]],
  [["agent", "resume", "--f"], ["--fresh"]],
  [["ag"], ["agent"]],
  [
    ["agent", "st"],
    ["start", "stats", "status", "stop"],
  ],
] as const)("after %j comes %j", (words, wanted) => {
  expect(offered(...words).toSorted()).toEqual([...wanted].toSorted());
});

test("what a command prints is offered as it is and never run", () => {
  const hostile = script.replaceAll("mix services --quiet", `printf '%s' '$(echo run)'`);
  expect(offeredBy(hostile, ["help", ""])).toEqual(["$(echo", "run)"]);
});

test("every verb that takes a session or has verbs of its own says what stands there, and every known flag is one", async () => {
  const flags = new Map<string, string>();
  for (const [table, words] of [
    [agentVerbs, agentWords],
    [busVerbs, busWords],
  ] as const) {
    for (const [verb, { load }] of Object.entries(table)) {
      const { spec } = await load();
      if (/<session>| \| /.test(spec.usage)) expect([verb, words[verb]]).toEqual([verb, expect.any(Array)]);
      for (const [name, { kind }] of Object.entries(spec.flags)) {
        const takes = kind === "switch" ? "nothing" : "a value";
        // A flag and its value are told from a word without looking at the verb.
        expect([name, flags.get(name) ?? takes]).toEqual([name, takes]);
        flags.set(name, takes);
      }
    }
    expect(Object.keys(words).filter((verb) => !Object.hasOwn(table, verb))).toEqual([]);
  }
  expect(Object.keys(flagWords).filter((name) => flags.get(name) !== "a value")).toEqual([]);
});
