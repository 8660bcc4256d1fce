// SPDX-License-Identifier: MIT OR Apache-2.0
// The completion scripts in real shells: bash and zsh on a terminal, where a person types and presses Tab; fish by its
// own `complete -C`. `mix` is a program that notes its words and prints a fixed answer, or the real one on a real Bus.
import { execFile, spawn, spawnSync } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";
import { lines } from "../testing/words.ts";
import { stubs } from "./stubs.ts";

const home = mkdtempSync(join(tmpdir(), "mix-shells-"));
const root = fileURLToPath(new URL("../..", import.meta.url));
let bench: Bench;
let environment: Record<string, string>;
const opened = new Map<TerminalName, Terminal>();

beforeAll(async () => {
  for (const folder of ["bin", "fpath", "place/dir1"]) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, "place/dirfile"), "");
  for (const [shell, stub] of Object.entries(stubs)) writeFileSync(join(home, `mix.${shell}`), `${stub}\n`);
  writeFileSync(join(home, "fpath/_mix"), `${stubs.zsh}\n`);
  bench = await Bench.create();
  const agentd = await bench.agentd();
  agentd.begin("sessionlivea", { agent: "demo", name: "worker" }).append({ kind: "state", state: "idle" });
  const { PATH = "" } = process.env;
  environment = {
    PATH: `${join(home, "bin")}:${PATH}`,
    HOME: home,
    TERM: "dumb",
    LC_ALL: "C.UTF-8",
    MIXOS_NODED_URL: bench.url,
    AGENTD_STATE_DIR: join(home, "state"),
  };
});
afterAll(async () => {
  for (const one of opened.values()) await one.close();
  await bench.close();
  rmSync(home, { recursive: true, force: true });
});

/** `mix` runs this. */
function mixIs(script: string): void {
  writeFileSync(join(home, "bin/mix"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function mixAnswers(...answer: string[]): void {
  writeFileSync(join(home, "answer"), `${answer.join("\n")}\n`);
  mixIs(`printf '<%s>' "$@" >"${home}/asked"; cat "${home}/answer"`);
}

function mixIsReal(): void {
  const tsx = join(root, "node_modules/tsx/dist/loader.mjs");
  mixIs(`exec "${process.execPath}" --import "${tsx}" "${root}/mix/main.ts" "$@"`);
}

function asked(): string {
  return readFileSync(join(home, "asked"), "utf8");
}

/** How each terminal is begun. On a line that is run, `mix` is a function that shows its words. */
const shows = 'mix() { printf "GOT"; printf "<%s>" "$@"; echo; }';
const compinit = "autoload -Uz compinit; compinit -u -D";
const beginnings = {
  bash: ["bash --norc --noprofile -i", `source "${home}/mix.bash"; ${shows}`],
  "zsh by eval": ["zsh -f -i", `PS1='$ '; ${compinit}; eval "$(cat "${home}/mix.zsh")"; ${shows}`],
  "zsh from fpath": ["zsh -f -i", `PS1='$ '; fpath=("${home}/fpath" $fpath); ${compinit}; ${shows}`],
} as const;
type TerminalName = keyof typeof beginnings;

class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  #shown = "";
  #looks: () => void = () => undefined;

  constructor(shell: string, setup: string) {
    const cwd = join(home, "place");
    this.#child = spawn("script", ["-qfec", shell, "/dev/null"], { cwd, env: environment });
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.#shown += chunk.toString("utf8");
      this.#looks();
    });
    this.#child.stdin.on("error", () => undefined);
    this.#child.stdin.write(`${setup}\n`);
  }

  /** What it shows from these keys on, as soon as `end` is in it. */
  type(keys: string, end: RegExp): Promise<RegExpExecArray> {
    this.#shown = "";
    this.#child.stdin.write(keys);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${end.source} in time, but: ${this.#shown}`)), 30_000);
      this.#looks = () => {
        const found = end.exec(this.#shown);
        if (found === null) return;
        clearTimeout(timer);
        this.#looks = () => undefined;
        resolve(found);
      };
    });
  }

  /** The words that `mix` gets when the line is run after a Tab at its end, and all that was shown. */
  async run(line: string): Promise<{ words: string; shown: string }> {
    const { 1: words = "", input } = await this.type(`${line}\t\n`, /GOT(<.*>)/);
    return { words, shown: input };
  }

  /** Kills `script`, so that the kernel hangs up the terminal: whatever the shell is doing, SIGHUP ends it. */
  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}

function isInstalled(...names: string[]): boolean {
  return names.every((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0);
}

async function openedTerminal(name: TerminalName): Promise<Terminal> {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const [shell, setup] = beginnings[name];
  const begun = new Terminal(shell, setup);
  opened.set(name, begun);
  await begun.type('echo it is "ready"\n', /it is ready\r\n/);
  return begun;
}

const onTerminals = test.extend<{ terminals: [TerminalName, Terminal][] }>({
  terminals: async ({ skip }, use) => {
    const names = (Object.keys(beginnings) as TerminalName[]).filter((one) => isInstalled(one.split(" ")[0] ?? ""));
    if (names.length === 0 || !isInstalled("script")) skip("needs `script` of util-linux, and bash or zsh");
    await use(
      await Promise.all(names.map(async (name) => [name, await openedTerminal(name)] as [TerminalName, Terminal])),
    );
  },
});

onTerminals.for([
  [["nothing", "worker\tx"], "mix agent send wo", "<agent><send><worker>", "<agent><send><wo>"],
  [["nothing", "worker\tx"], "mix agent send ", "<agent><send><worker>", "<agent><send><>"],
  [["nothing", "agent\tx"], "mix a", "<agent>", "<a>"],
  [["nothing", "a:b\tx: y"], "mix agent send a:", "<agent><send><a:b>", "<agent><send><a:>"],
  [["nothing", "a:b\tx: y"], "mix agent send a", "<agent><send><a:b>", "<agent><send><a>"],
  [["nothing", "--x=abc\tx"], "mix agent ls --x=a", "<agent><ls><--x=abc>", "<agent><ls><--x=a>"],
  [["nothing", "--force\tx"], "mix agent ls --f", "<agent><ls><--force>", "<agent><ls><--f>"],
  [["nothing", "two words\tx"], "mix agent send tw", "<agent><send><two words>", "<agent><send><tw>"],
  [["nothing", "two words\tx"], 'mix agent send "two w', "<agent><send><two words>", "<agent><send><two w>"],
  [["nothing", "two words\tx"], "mix agent send two\\ w", "<agent><send><two words>", "<agent><send><two w>"],
  [
    ["nothing", "--x=two words\tx"],
    "mix call 'a b' --x=\"two w",
    "<call><a b><--x=two words>",
    "<call><a b><--x=two w>",
  ],
  [["nothing", "$(echo run)\tx"], "mix help ", "<help><$(echo run)>", "<help><>"],
  [["nothing"], "mix agent close dirf", "<agent><close><dirf>", "<agent><close><dirf>"],
  [["files"], "mix agent send a dirf", "<agent><send><a><dirfile>", "<agent><send><a><dirf>"],
] as const)("%j to %j completes it to %s", async ([answer, line, wanted, words], { terminals }) => {
  mixAnswers(...answer);
  for (const [name, shell] of terminals) {
    expect([name, (await shell.run(line)).words]).toEqual([name, wanted]);
    expect([name, asked()]).toEqual([name, `<complete><-->${words}`]);
  }
});

onTerminals(
  "directories are the shell's own, as the word after a flag and behind its equals sign",
  async ({ terminals }) => {
    mixAnswers("directories");
    for (const [, shell] of terminals) {
      expect((await shell.run("mix agent start x --cwd di")).words).toMatch(/^<agent><start><x><--cwd><dir1\/?>$/);
      expect((await shell.run("mix agent start x --cwd=di")).words).toMatch(/^<agent><start><x><--cwd=dir1\/?>$/);
    }
  },
);

onTerminals(
  "within a quote bash is offered nothing that would end it or run a command",
  async ({ terminals, skip }) => {
    mixAnswers("nothing", ...["$(echo run)", "`echo run`", '"y', "'y", "\\y", "!y", "safe"].map((end) => `x${end}\tx`));
    const bash = new Map(terminals).get("bash");
    if (bash === undefined) return skip("bash is not installed");
    for (const quote of ['"', "'"]) expect((await bash.run(`mix help ${quote}x`)).words).toBe("<help><xsafe>");
  },
);

onTerminals("where zsh has several candidates it shows the words about them", async ({ terminals, skip }) => {
  mixAnswers("nothing", "send\tsends it", "set\tsets: it");
  const zsh = new Map(terminals).get("zsh from fpath");
  if (zsh === undefined) return skip("zsh is not installed");
  const { input } = await zsh.type("mix agent s\t\t", /sets: it[^]*sends it|sends it[^]*sets: it/);
  expect(input).toContain("send");
  await zsh.type("\u0015echo it is 'empty'\n", /it is empty\r\n/);
});

onTerminals(
  "a program that fails, or is not there, leaves the line as it is and writes nothing",
  async ({ terminals }) => {
    for (const fails of [() => mixIs("echo words >&2; exit 1"), () => rmSync(join(home, "bin/mix"))]) {
      fails();
      for (const [name, shell] of terminals) {
        const { words, shown } = await shell.run("mix agent close xyz");
        expect([name, words, /words|not found|line \d/.test(shown)]).toEqual([name, "<agent><close><xyz>", false]);
      }
    }
  },
);

onTerminals("the real program completes a session's name", async ({ terminals }) => {
  mixIsReal();
  for (const [name, shell] of terminals) {
    expect([name, (await shell.run("mix agent send wo")).words]).toEqual([name, "<agent><send><worker>"]);
  }
});

const inFish = test.extend<{ completed: (line: string) => Promise<string[]> }>({
  completed: async ({ skip }, use) => {
    if (!isInstalled("fish")) skip("fish is not installed");
    await use(async (line) => {
      const script = 'source $argv[1]; complete -C "$argv[2]"';
      const words = ["--no-config", "-c", script, join(home, "mix.fish"), line];
      const options = { cwd: join(home, "place"), env: environment };
      const { stdout, stderr } = await promisify(execFile)("fish", words, options);
      return [...lines(stdout), ...lines(stderr)];
    });
  },
});

inFish.for([
  [["nothing", "worker\tidle"], "mix agent send wo", ["worker\tidle"], "<agent><send><wo>"],
  [["nothing", "worker\tidle"], "mix agent send ", ["worker\tidle"], "<agent><send><>"],
  [["nothing", "agent\tx"], "mix ", ["agent\tx"], "<>"],
  [["nothing", "a:b\tx"], "mix agent send a:", ["a:b\tx"], "<agent><send><a:>"],
  [["nothing", "--x=abc\tx"], "mix agent ls --x=a", ["--x=abc\tx"], "<agent><ls><--x=a>"],
  [["nothing", "--force\tx"], "mix agent ls --f", ["--force\tx"], "<agent><ls><--f>"],
  [["nothing", "two words\tx"], 'mix agent send "two w', ["two words\tx"], "<agent><send><two w>"],
  [["nothing", "$(echo run)\tx"], "mix help ", ["$(echo run)\tx"], "<help><>"],
  [["nothing"], "mix agent close dirf", [], "<agent><close><dirf>"],
  [["files"], "mix agent send a dirf", ["dirfile"], "<agent><send><a><dirf>"],
  [["directories"], "mix agent start --cwd di", ["dir1/\tDirectory"], "<agent><start><--cwd><di>"],
  [["directories"], "mix agent start --cwd=di", ["--cwd=dir1/\tDirectory"], "<agent><start><--cwd=di>"],
] as const)("in fish %j to %j offers %j", async ([answer, line, wanted, words], { completed }) => {
  mixAnswers(...answer);
  expect(await completed(line)).toEqual(wanted);
  expect(asked()).toBe(`<complete><-->${words}`);
});

inFish("in fish a program that fails offers nothing, and the real one a session's name", async ({ completed }) => {
  mixIs("echo words >&2; exit 1");
  expect(await completed("mix agent send wo")).toEqual([]);
  mixIsReal();
  expect(await completed("mix agent send wo")).toEqual(["worker\tdemo, idle"]);
});
