// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CatalogueEvent } from "../../agentd/vocabulary/catalogue-change.ts";
import type { CatalogueEntry } from "../../agentd/vocabulary/replies.ts";
import { done } from "../../bus-client/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

/** In place of agentd's program: prints these events, and writes its words down. `then` runs afterwards. */
function agentdPrints(events: readonly CatalogueEvent[], then = ""): void {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  writeFileSync(
    join(bench.directory, "no-agentd.mjs"),
    `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(join(bench.directory, "words"))}, JSON.stringify(process.argv.slice(2)));
process.stdout.write(${JSON.stringify(lines)});
${then}`,
  );
}
const wordsOfAgentd = (): unknown => JSON.parse(readFileSync(join(bench.directory, "words"), "utf8"));

const progress = (name: string, packages: number): CatalogueEvent => {
  return { event: "progress", name, version: "1.2.3", packages, elapsed_ms: packages * 1000 };
};
const installed = {
  version: "1.2.3",
  directory: "/d/agents",
  was_there: false,
  file: "/d/agents/bin",
  from: "agentd",
} as const;

test("install says what it does on stderr, a line for each stage, and what was installed on stdout", async () => {
  agentdPrints([
    progress("codex", 0),
    progress("codex", 2),
    progress("Node", 0),
    { event: "done", agent: "codex", installed: { ...installed, node: "22.1.0" } },
  ]);
  expect(await bench.run(["agent", "agents", "install", "codex"])).toEqual({
    code: 0,
    stdout: "codex 1.2.3 installed in /d/agents, with Node 22.1.0\n",
    stderr: "installing codex 1.2.3\ninstalling Node 1.2.3\n",
  });
  expect(wordsOfAgentd()).toEqual(["--install", "codex"]);
});

test("on a terminal one row is drawn anew, and erased at the end", async () => {
  agentdPrints([progress("codex", 2), progress("codex", 3), { event: "done", agent: "codex", installed }]);
  const { stderr } = await bench.run(["agent", "agents", "install", "codex"], { tty: true });
  expect(stderr).toContain("installing codex 1.2.3: 2 packages 2s");
  expect(stderr).not.toContain("\n");
  expect(stderr.endsWith("\u001b[K")).toBe(true);
});

test("with --json there is one document and no progress", async () => {
  agentdPrints([progress("codex", 2), { event: "done", agent: "codex", installed }]);
  const { stdout, stderr } = await bench.run(["agent", "agents", "install", "codex", "--json"]);
  expect(JSON.parse(stdout)).toEqual({ schema: "mix.installed.v1", agent: "codex", ...installed });
  expect(stderr).toBe("");
});

test("an agent that is found elsewhere first, or lacks something, is said so", async () => {
  const other = {
    ...installed,
    was_there: true,
    file: "/usr/bin/codex-acp",
    from: "path",
    warning: "it needs more",
  } as const;
  agentdPrints([{ event: "done", agent: "codex", installed: other }]);
  const { stdout, stderr } = await bench.run(["agent", "agents", "install", "codex"]);
  expect(stdout).toBe("codex 1.2.3 was installed already in /d/agents\n");
  expect(stderr).toContain("/usr/bin/codex-acp is found first");
  expect(stderr).toContain("codex: it needs more");
});

test("remove says which versions it removed", async () => {
  agentdPrints([{ event: "done", agent: "codex", removed: ["1.0.0", "1.2.3"] }]);
  expect(await bench.run(["agent", "agents", "remove", "codex"])).toMatchObject({
    code: 0,
    stdout: "codex: removed 1.0.0, 1.2.3\n",
  });
  expect(wordsOfAgentd()).toEqual(["--remove", "codex"]);
});

test.each([
  ["AGENT_UNKNOWN", 4],
  ["INSTALL_NETWORK", 1],
] as const)("a failure with %s exits with %i and its words", async (code, exit) => {
  agentdPrints([{ event: "failed", code, message: "so it is" }], "process.exitCode = 1;");
  expect(await bench.run(["agent", "agents", "install", "x"])).toEqual({
    code: exit,
    stdout: "",
    stderr: `${code}: so it is\n`,
  });
  const { stderr } = await bench.run(["agent", "agents", "install", "x", "--json"]);
  expect(JSON.parse(stderr)).toEqual({ error: { code, message: "so it is" } });
});

test.each([
  [`throw new Error("broken");`, "Error: broken"],
  [`process.kill(process.pid, "SIGKILL");`, "it was ended by SIGKILL"],
  [`process.exitCode = 1;`, "it said nothing"],
])("a program that breaks is an error with its last words: %s", async (then, words) => {
  agentdPrints([], then);
  const stderr = `UNREACHABLE: agentd's own program failed: ${words}\n`;
  expect(await bench.run(["agent", "agents", "install", "x"])).toEqual({ code: 6, stdout: "", stderr });
});

test("Ctrl-C ends the program, waits for its end, and says what is left", async () => {
  agentdPrints([progress("codex", 1)], `process.on("SIGTERM", () => process.exit(1)); setInterval(() => {}, 1000);`);
  const running = bench.start(["agent", "agents", "install", "codex"]);
  await running.shows("installing codex");
  running.interrupt();
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  expect(stderr).toBe(
    "installing codex 1.2.3\nstopping …\nthe installation was stopped, and what it had begun is removed; again: mix agent agents install codex\n",
  );
});

const added = { event: "done", agent: "mine", added: { file: "/c/agentd.toml", command: ["my-agent"] } } as const;

test("add passes the command on as it was typed, but for a relative path, which is meant from here", async () => {
  agentdPrints([added]);
  const ran = await bench.run(["agent", "agents", "add", "mine", "--", "my-agent", "--acp", "two words"]);
  expect(ran).toEqual({ code: 0, stdout: "mine added to /c/agentd.toml\n", stderr: "" });
  expect(wordsOfAgentd()).toEqual(["--add", "mine", "--", "my-agent", "--acp", "two words"]);
  await bench.run(["agent", "agents", "add", "mine", "--replace", "--", "./bin/agent"]);
  expect(wordsOfAgentd()).toEqual(["--add", "mine", "--replace", "--", join(bench.directory, "bin/agent")]);
});

test("an agent of a registry is shown before it is added, and on a terminal only after a yes", async () => {
  const command = ["npx", "--yes", "one@1"] as const;
  const agents = [
    { id: "one", name: "One", version: "1.0.0", description: "", command, env: { MODE: "x" } },
    { id: "two", name: "Two", version: "1.0.0", description: "" },
  ];
  const registry: CatalogueEvent = { event: "done", agent: "", registry: { agents, skipped: 1 } };
  writeFileSync(
    join(bench.directory, "no-agentd.mjs"),
    `import { appendFileSync } from "node:fs";
if (process.argv.includes("--env-from-stdin")) {
  process.stdin.once("data", (line) => {
    appendFileSync(${JSON.stringify(join(bench.directory, "lines"))}, line);
    process.stdin.destroy();
  });
}
appendFileSync(${JSON.stringify(join(bench.directory, "runs"))}, JSON.stringify(process.argv.slice(2)) + "\\n");
process.stdout.write(JSON.stringify(process.argv[2] === "--registry" ? ${JSON.stringify(registry)} : ${JSON.stringify(added)}) + "\\n");`,
  );
  const runs = () => readFileSync(join(bench.directory, "runs"), "utf8").trimEnd().split("\n");
  const { stdout, stderr } = await bench.run(["agent", "agents", "registry", "list.json"]);
  expect(stdout).toContain("one  1.0.0    One   MODE=x npx --yes one@1");
  expect(stdout).toContain("two  1.0.0    Two   download only");
  expect(stderr).toContain("1 entries are not in the format");
  expect(runs()).toEqual([JSON.stringify(["--registry", join(bench.directory, "list.json")])]);

  const add = ["agent", "agents", "add", "one", "--registry", "https://x.invalid/r"];
  const refused = bench.start(add, { tty: true });
  await refused.shows("add one?");
  expect(runs()).toHaveLength(2);
  refused.type("n\n");
  expect(await refused.ended).toMatchObject({ code: 1 });
  expect(runs()).toHaveLength(2);
  const piped = await bench.run(add);
  expect(piped).toMatchObject({ code: 0 });
  expect(piped.stderr).toContain("it will be started by: MODE=x npx --yes one@1");
  expect(runs().at(-1)).toBe(JSON.stringify(["--add", "one", "--env-from-stdin", "--", ...command]));
  expect(readFileSync(join(bench.directory, "lines"), "utf8")).toBe(`{"MODE":"x"}\n`);
  expect(await bench.run(["agent", "agents", "add", "two", "--registry", "r"])).toMatchObject({ code: 1 });
  expect(await bench.run(["agent", "agents", "add", "none", "--registry", "r"])).toMatchObject({ code: 4 });
});

test.each([["add"], ["add", "mine"], ["add", "mine", "--registry", "r", "--", "x"], ["registry"]])(
  "agents %s %s is a usage error",
  async (...words) => {
    expect(await bench.run(["agent", "agents", ...words])).toMatchObject({ code: 2, stdout: "" });
  },
);

test.each([["install"], ["install", "a", "b"], ["destroy", "a"]])("agents %s is a usage error", async (...words) => {
  expect(await bench.run(["agent", "agents", ...words])).toMatchObject({ code: 2, stdout: "" });
});

test("the list says where each agent was found, and what keeps one from working", async () => {
  const common = { title: "", command: ["x", "--acp"], built_in: true };
  const agents: CatalogueEntry[] = [
    { ...common, agent: "one", installed: true, file: "/p/x", from: "path" },
    { ...common, agent: "two", installed: true, file: "/n/x", from: "npm", warning: "it needs Node 22", install: "do" },
    { ...common, agent: "three", installed: false, problem: "x was not found", install: "do" },
    { ...common, agent: "four", built_in: false, installed: true, file: "/f/x" },
  ];
  await bench.agentd({ replies: { "agent.list": done({ agents }) } });
  const { stdout } = await bench.run(["agent", "agents"]);
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/u))).toEqual([
    ["AGENT", "INSTALLED", "VERSION", "COMMAND"],
    ["one", "on PATH", "-", "/p/x --acp"],
    ["two", "by npm", "-", "it needs Node 22; install: do; /n/x --acp"],
    ["three", "no", "-", "x was not found; install: do"],
    ["four", "yes", "-", "x --acp"],
    [""],
  ]);
});
