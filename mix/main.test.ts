// SPDX-License-Identifier: MIT OR Apache-2.0
// The program as users start it, bundled, with a scripted daemon beside it.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { embeddedSocketPath } from "../bus-client/index.ts";
import { bundlePrograms } from "../scripts/bundle.ts";
import { isRunning } from "./daemon/process-alive.ts";
import { screenOf } from "./testing/screen.ts";
import { endProcessesWith, pidsWith } from "./testing/end-processes.ts";

let programs: string;
let state: string;
let env: Record<string, string>;

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), "mix-programs-"));
  const here = fileURLToPath(new URL(".", import.meta.url));
  // As in an installed package, the program finds its version in the manifest above it.
  copyFileSync(join(here, "../package.json"), join(programs, "package.json"));
  await Promise.all([
    bundlePrograms(["mix"], programs),
    build({
      bundle: true,
      platform: "node",
      target: "node20",
      logLevel: "error",
      entryPoints: [join(here, "testing/scripted-agentd-program.ts")],
      outfile: join(programs, "bin/agentd.cjs"),
      format: "cjs",
    }),
  ]);
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

beforeEach(() => {
  const directory = mkdtempSync(join(tmpdir(), "mix-main-"));
  state = join(directory, "state");
  const runtime = join(directory, "run");
  mkdirSync(runtime, { mode: 0o700 });
  const { PATH = "" } = process.env;
  env = { PATH, HOME: directory, XDG_RUNTIME_DIR: runtime, AGENTD_STATE_DIR: state };
});
afterEach(async () => {
  await run(["agent", "stop"]);
  // If several daemons were started at once, a slow one may take the lock after the first was stopped.
  await endProcessesWith("AGENTD_STATE_DIR", state);
  rmSync(join(state, ".."), { recursive: true, force: true });
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function started(
  words: readonly string[],
  more: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Ran> } {
  const child = spawn(process.execPath, [join(programs, "bin/mix.cjs"), ...words], { env: { ...env, ...more } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const ended = new Promise<Ran>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}

function run(words: readonly string[], more: Record<string, string> = {}): Promise<Ran> {
  return started(words, more).ended;
}

interface DaemonRecord {
  readonly pid: number;
  readonly session: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function daemons(): DaemonRecord[] {
  const records = readdirSync(state).filter((name) => name.startsWith("started-"));
  return records.map((name) => JSON.parse(readFileSync(join(state, name), "utf8")) as DaemonRecord);
}

test("without a Bus agentd is started, and its log file is named on stderr", async () => {
  const ran = await run(["agent", "start", "demo", "hello"]);
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain(join(state, "agentd.log"));
  expect(ran.stdout).not.toContain("agentd.log");
  expect(statSync(join(state, "agentd.log")).mode & 0o777).toBe(0o600);
  expect(statSync(state).mode & 0o777).toBe(0o700);
});

test("four command lines at once start one daemon, and all of them succeed", async () => {
  const ran = await Promise.all(Array.from({ length: 4 }, () => run(["agent", "ls"])));
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(daemons()).toHaveLength(1);
  // The others have exited, so none of them can come up when this one is stopped.
  expect(pidsWith("AGENTD_STATE_DIR", state)).toEqual(daemons().map(({ pid }) => pid));
});

test("the daemon runs in a POSIX session of its own, in /, and inherits only the variables that it needs", async () => {
  await run(["agent", "ls"], {
    SECRET_KEY: "s",
    AGENTD_SESSION: "aaaaaaaaaaaa/bbbbbbbbbbbb",
    LC_ALL: "C",
    NODE_OPTIONS: "--no-warnings",
  });
  const [daemon] = daemons();
  expect(daemon).toMatchObject({ cwd: "/" });
  expect(daemon?.session).toBe(daemon?.pid);
  expect(Object.keys(daemon?.env ?? {}).sort()).toEqual([
    "AGENTD_STATE_DIR",
    "HOME",
    "LC_ALL",
    "PATH",
    "XDG_RUNTIME_DIR",
  ]);
});

test("if the daemon fails to start, the exit code is 6 and the end of its log is shown printable", async () => {
  mkdirSync(state);
  writeFileSync(join(state, "broken"), "");
  const ran = await run(["agent", "ls"]);
  expect(ran.code).toBe(6);
  expect(ran.stderr).toContain("\\x1b[31mthe configuration is wrong");
});

test("stop, status and completion start nothing", async () => {
  expect((await run(["agent", "stop"])).code).toBe(6);
  expect((await run(["agent", "status"])).code).toBe(6);
  expect((await run(["completion", "bash"])).code).toBe(0);
  expect(existsSync(state)).toBe(false);
});

test("only the last start's part of an older log is shown", async () => {
  mkdirSync(state);
  writeFileSync(join(state, "agentd.log"), "earlier words\n");
  writeFileSync(join(state, "broken"), "");
  const { stderr } = await run(["agent", "ls"]);
  expect(stderr).toContain("line one");
  expect(stderr).not.toContain("earlier words");
});

test("a daemon on another Bus is reported at once with the variables that differ, and no second one is started", async () => {
  await run(["agent", "ls"]);
  const pid = daemons()[0]?.pid;
  const elsewhere = join(state, "../elsewhere");
  for (const verb of ["ls", "status"]) {
    const ran = await run(["agent", verb], { XDG_RUNTIME_DIR: elsewhere });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toBe(
      `UNREACHABLE: agentd (pid ${pid}) is running, but on another Bus: its XDG_RUNTIME_DIR is ${env["XDG_RUNTIME_DIR"]}, here it is ${elsewhere}\n`,
    );
  }
});

test.each(["file", "/proc/nowhere"])(
  "a state directory in %s, where none can be made, is an error with its path",
  async (base) => {
    const file = join(state, "../file");
    writeFileSync(file, "");
    const home = base === "file" ? file : base;
    const ran = await run(["agent", "ls"], { AGENTD_STATE_DIR: "", XDG_STATE_HOME: home });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(/^UNREACHABLE: .*\n$/);
    expect(ran.stderr).toContain(join(home, "agentd"));
  },
);

test("stop returns when the process is gone", async () => {
  await run(["agent", "ls"]);
  const pid = daemons()[0]?.pid ?? process.pid;
  expect(isRunning(pid, undefined)).toBe(true);
  expect((await run(["agent", "stop"])).code).toBe(0);
  expect(isRunning(pid, undefined)).toBe(false);
});

test.runIf(process.platform === "linux")("stop ends a daemon that is no longer reachable over the Bus", async () => {
  await run(["agent", "ls"]);
  const pid = daemons()[0]?.pid ?? process.pid;
  rmSync(embeddedSocketPath({ env, uid: process.getuid?.() ?? -1 }));
  const ran = await run(["agent", "stop"]);
  expect([ran.code, ran.stderr]).toEqual([
    0,
    expect.stringContaining("cannot be reached over the Bus: sending SIGTERM"),
  ]);
  expect(isRunning(pid, undefined)).toBe(false);
});

test("when the reader of stdout is gone, the program exits with 141 and without a message", async () => {
  const { stdout: session } = await run(["agent", "start", "demo", "much", "-q"]);
  const { child, ended } = started(["agent", "log", session.trim(), "--json"]);
  child.stdout?.once("data", () => child.stdout?.destroy());
  expect(await ended).toMatchObject({ code: 141, stderr: "" });
});

test("the same holds if the reader was gone before the first output", async () => {
  await run(["agent", "start", "demo", "-q"]);
  const { child, ended } = started(["agent", "ls", "-q"]);
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ code: 141, stderr: "" });
});

test("output to a slow reader arrives complete", async () => {
  const { stdout: session } = await run(["agent", "start", "demo", "much", "-q"]);
  const { stdout } = await run(["agent", "log", session.trim(), "--json"]);
  const seqs = stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(seqs.length).toBeGreaterThan(200);
});

test("SIGINT in a follow exits with 130 and leaves the session running", async () => {
  const { child, ended } = started(["agent", "start", "demo", "for ever", "--name", "mine"]);
  child.stdout?.on("data", (chunk: Buffer) => chunk.includes("is ready") && child.kill("SIGINT"));
  const ran = await ended;
  expect(ran.code).toBe(130);
  expect((await run(["agent", "ls", "--state", "running", "-q"])).stdout.trim()).toMatch(/^session/);
});

test("SIGTERM in a follow exits with 143, and says how to continue after the last entry", async () => {
  const { stdout } = await run(["agent", "start", "demo", "-q"]);
  const session = stdout.trim();
  const { child, ended } = started(["agent", "log", session, "-f"]);
  child.stdout?.once("data", () => child.kill("SIGTERM"));
  const { code, stderr } = await ended;
  expect(code).toBe(143);
  expect(stderr).toMatch(
    new RegExp(`^continue from here: mix agent log ${session} -f --since [^/]+/${session}/\\d+\n$`),
  );
});

test("`mix bus` serves until Ctrl-C, and leaves no socket behind", async () => {
  const { child, ended } = started(["bus"]);
  await new Promise<void>((resolve) => child.stdout?.once("data", () => resolve()));
  expect((await run(["services", "-q"])).stdout).toMatch(/^mix-[a-z2-7]{6}\n$/);
  expect((await run(["bus"])).stderr).toContain("already");
  child.kill("SIGINT");
  expect((await ended).code).toBe(0);
  expect(existsSync(join(env["XDG_RUNTIME_DIR"] ?? "", "mixos", "bus.sock"))).toBe(false);
});

test("--version and --help need no Bus", async () => {
  expect((await run(["--version"])).stdout).toMatch(/^mix \d+\.\d+\.\d+\n$/);
  expect((await run(["--help"])).stdout).toContain("mix agent start demo");
});

test("the program starts where no directory for its compiled code can be made, and makes none where it stands", async () => {
  mkdirSync(state);
  for (const HOME of ["", "relative", "/proc/nowhere"]) {
    const child = spawn(process.execPath, [join(programs, "bin/mix.cjs"), "--version"], {
      env: { ...env, HOME },
      cwd: state,
    });
    const [stdout, stderr, [ended]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    expect([ended, stdout, stderr]).toEqual([0, expect.stringMatching(/^mix \d/), ""]);
  }
  expect(readdirSync(state)).toEqual([]);
});

test.each(["bash", "zsh", "fish"])("the shell reads the completion for %s where it is there", async (shell) => {
  const { stdout } = await run(["completion", shell]);
  expect(stdout).toContain("mix complete -- ");
  // From a file: fish cannot read a script from the socket that Node gives a child as its standard input.
  const script = join(state, `../completion.${shell}`);
  writeFileSync(script, stdout);
  const check = spawn(shell, ["-n", script], { stdio: "ignore" });
  const result = new Promise<number | "absent" | null>((resolve) => {
    check.on("error", () => resolve("absent"));
    check.on("close", resolve);
  });
  expect(["absent", 0]).toContain(await result);
});

test.each([
  [["agent", ""], ["permit"]],
  [[""], ["agent", "services"]],
  [
    ["agent", "start", "--"],
    ["--no-autostart", "--add-dir"],
  ],
])("the completion after %j knows %j, and starts no agentd", async (words, wanted) => {
  const { code, stdout, stderr } = await run(["complete", "--", ...words]);
  expect([code, stderr]).toEqual([0, ""]);
  for (const word of wanted) expect(stdout).toContain(`\n${word}\t`);
  expect((await run(["complete", "--", "agent", "close", ""])).stdout).toBe("nothing\n");
  expect(existsSync(state)).toBe(false);
});

interface Terminal {
  readonly type: (keys: string) => void;
  /** Resolves once the program has written the words, after what `shows` saw before. */
  readonly shows: (words: string) => Promise<void>;
  readonly written: () => string;
  /** What is on the screen. */
  readonly screen: () => string[];
  readonly ended: Promise<unknown>;
}

const terminals: ChildProcess[] = [];
afterEach(() => terminals.splice(0).forEach((terminal) => terminal.kill()));

/** Runs the program on a terminal of its own. `before` is a command of the shell. */
function onTerminal(words: string, columns = 80, before = "true", NO_COLOR = "1"): Terminal {
  const line = `stty cols ${columns} rows 24; ${before}; exec '${process.execPath}' '${join(programs, "bin/mix.cjs")}' ${words}`;
  const terminal = spawn("script", ["-qefc", line, "/dev/null"], { env: { ...env, TERM: "xterm", NO_COLOR } });
  terminals.push(terminal);
  let written = "";
  let seen = 0;
  let look: () => void = () => undefined;
  terminal.stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString("utf8");
    look();
  });
  const shows = (wanted: string): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        const at = written.indexOf(wanted, seen);
        if (at < 0) return;
        seen = at + wanted.length;
        look = () => undefined;
        resolve();
      };
      look();
    });
  return {
    type: (keys) => void terminal.stdin.write(keys),
    shows,
    written: () => written,
    screen: () => screenOf(written),
    ended: once(terminal, "close"),
  };
}

test("on a real terminal Markdown is drawn, and a pause shows the last word, in which the text goes on", async () => {
  const { shows, ended, screen } = onTerminal("agent start demo pause --name mine", 40, "true", "");
  await shows("\u001b[1;4mTwo\u001b[22;24m");
  await shows("\u001b[1mthe last wo\u001b[22m");
  expect(screen()).toContain("It says the last wo");
  expect((await run(["agent", "send", "mine", "go on", "--queue"])).code).toBe(0);
  await ended;
  const from = screen().indexOf("It says the last word and more, wrapped");
  expect(screen().slice(from + 1, from + 4)).toEqual(["at the edge.", "", "• an item"]);
});

test("on a real terminal each question is drawn right above the line that answers it", async () => {
  const { shows, type, ended, screen } = onTerminal("agent start demo 'two questions'");
  /** Rows from the last question on the screen on. */
  const bottom = (): string[] => {
    const rows = screen();
    return rows.slice(rows.findLastIndex((row) => row.startsWith("? allow: ")));
  };
  await shows("(1 of 2)? [y/n/1–2] ");
  const rows = (what: string, number: number, prompt: string): unknown[] => [
    `? allow: ${what} (execute)`,
    "  1) Yes  [allow_once]",
    "  2) No  [reject_once]",
    expect.stringMatching(new RegExp(`^  answer: mix agent permit allow \\w+-${number} `)),
    prompt,
  ];
  expect(bottom()).toEqual(rows("npm run build", 1, "allow execute npm run build (1 of 2)? [y/n/1–2] "));
  type("n\r");
  await shows("(2 of 2)? [y/n/1–2] ");
  // The agent wrote in between, and the second question stands below that text.
  expect(bottom()).toEqual(rows("rm -rf ~", 2, "allow execute rm -rf ~ (2 of 2)? [y/n/1–2] "));
  type("n\r");
  await ended;
  const all = screen().join("\n");
  expect(all).toContain("→ refused: execute npm run build (1 of 2) (by ");
  expect(all).toContain("→ refused: execute rm -rf ~ (2 of 2) (by ");
});

test("on a real terminal the log has the day once, local times, and rows as wide as the terminal", async () => {
  env["TZ"] = "Europe/Berlin";
  const { stdout } = await run(["agent", "start", "demo", "hello", "-q"]);
  const terminal = onTerminal(`agent log ${stdout.trim()}`, 50);
  await terminal.ended;
  expect(terminal.screen().slice(0, 4)).toEqual([
    "Mon 2026-11-30",
    "   1  13:00:00  state        starting",
    "   2  13:00:00  command      agent.session.start",
    expect.stringMatching(/^ {29}by mix-\w{6}$/),
  ]);
});

test("on a real terminal :history writes the earlier turns above the prompt line, which comes back below", async () => {
  const { stdout } = await run(["agent", "start", "demo", "hello", "-q"]);
  await run(["agent", "send", stdout.trim(), "hello again"]);
  const { shows, type, ended, screen } = onTerminal(`agent attach ${stdout.trim()}`);
  await shows("1 turn came before this one · :history shows them");
  await shows("> ");
  type(":history\r");
  await shows("turn 1 ends here · turn 2 is above\r\n\r> ");
  type(":detach\r");
  await ended;
  const rows = screen();
  const at = (row: string): number => rows.findIndex((one) => one.startsWith(row));
  const order = ["✔ turn 2 done", "> :history", "✔ turn 1 done", "turn 1 ends here", "> :detach"].map(at);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order).not.toContain(-1);
});

/** Runs `mix` on a terminal of that width to its end, and returns its rows. */
async function rowsOn(columns: number, words: string): Promise<string[]> {
  const { ended, screen } = onTerminal(words, columns);
  await ended;
  return screen().filter((row) => row !== "");
}

test("on a real terminal tables are cut to its width, and `mix agent` says in one screen what there is", async () => {
  const { stdout } = await run(["agent", "start", "demo", "hello", "--name", "a-session-with-a-long-name", "-q"]);
  const session = stdout.split("\n")[0] ?? "";
  const whole = await rowsOn(200, "agent ps");
  expect(whole[1]).toMatch(new RegExp(`^${session}  a-session-with-a-long-name  demo +idle `));
  expect(whole).toHaveLength(2);
  for (const columns of [40, 60]) {
    const rows = await rowsOn(columns, "agent ps");
    expect(rows).toHaveLength(2);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(columns);
    expect(rows[1]).toContain("…");
  }
  const overview = await rowsOn(80, "agent");
  expect(overview[0]).toBe("idle (1)");
  expect(overview[1]).toContain(session);
  expect(overview).toContainEqual(expect.stringContaining("mix agent send"));
  expect(overview.length).toBeLessThan(24);
});

const [pasteStart, pasteEnd] = ["\u001b[200~", "\u001b[201~"];
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `tell ${index + 1}`).join("\r");

test("a paste of 300 lines lands at the cursor, stays in the line until Enter and is one prompt", async () => {
  await run(["agent", "start", "demo", "-q"]);
  const { type, shows, screen, written, ended } = onTerminal("agent attach session");
  await shows("\r> ");
  type("tell end\u001b[D\u001b[D\u001b[D");
  await shows("tell end");
  type(`${pasteStart}${lines(300)}${pasteEnd}`);
  await shows("tell 300");
  expect(screen().slice(-9)).toEqual([
    "  … 292 lines above",
    "> tell 293",
    ...[294, 295, 296, 297, 298, 299].map((number) => `  tell ${number}`),
    "  tell 300end",
  ]);
  type("\r");
  await shows("got 300 lines, 2599 characters");
  type("\u0003");
  await ended;
  // eslint-disable-next-line no-control-regex
  const modes = written().match(/\u001b\[\?2004[hl]/g) ?? [];
  expect([modes[0], modes.at(-1)]).toEqual(["\u001b[?2004h", "\u001b[?2004l"]);
});

test("a paste of a megabyte is one prompt, and nothing in it presses Enter", async () => {
  await run(["agent", "start", "demo", "-q"]);
  const { type, shows } = onTerminal("agent attach session");
  await shows("\r> ");
  type(`${pasteStart}tell ${"x".repeat(1_000_000)}${pasteEnd}\r:close\r\u001b[31mend${pasteEnd}`);
  await shows("  end");
  type("\r");
  await shows("got 3 lines, 1000016 characters");
});

test("a paste over agentd's limit is refused with its length, and the line stays as it was", async () => {
  await run(["agent", "start", "demo", "-q"]);
  const { type, shows } = onTerminal("agent attach session");
  await shows("\r> ");
  type("tell me");
  await shows("tell me");
  type(`${pasteStart}${"x".repeat(7_000_000)}${pasteEnd}`);
  await shows("7000000");
  await shows("> tell me");
  type("\r");
  await shows("got 1 lines, 7 characters");
}, 60_000);

test("a paste answers no question without Enter, and one of several lines is never a yes", async () => {
  const { type, shows, written } = onTerminal("agent start demo 'two questions'");
  await shows("(1 of 2)? [y/n/1–2] ");
  type(`${pasteStart}y\ry\r${pasteEnd}`);
  await shows("(1 of 2)? [y/n/1–2] y");
  type("\r");
  await shows("several lines are not an answer");
  await shows("(1 of 2)? [y/n/1–2] ");
  expect(written()).not.toContain("→ ");
  type(`${pasteStart}n${pasteEnd}`);
  await shows("(1 of 2)? [y/n/1–2] n");
  type("\r");
  await shows("→ refused: execute npm run build");
});

test("a line typed before attach is up is a prompt once it is, and an unfinished one stays in the line", async () => {
  await run(["agent", "start", "demo", "-q"]);
  const { type, shows } = onTerminal("agent attach session");
  type("tell early\rtell ");
  await shows("got 1 lines, 10 characters");
  await shows("> tell ");
  type("more\r");
  await shows("got 1 lines, 9 characters");
});

test("Alt+Enter and a backslash at the end begin a new line, Up goes through the text and then to earlier prompts", async () => {
  await run(["agent", "start", "demo", "-q"]);
  const { type, shows, screen } = onTerminal("agent attach session");
  await shows("\r> ");
  type("tell one\u001b\r");
  await shows("  ");
  type("two\\\r");
  await shows("two\u001b[K\r\n");
  type("three\u001b[A\u001b[A!");
  await shows("!one");
  expect(screen().slice(-3)).toEqual(["> tell !one", "  two", "  three"]);
  type("\r");
  await shows("got 3 lines, 19 characters");
  await shows("> ");
  type("\u001b[A");
  await shows("three");
});

test("after a resize the line is drawn anew, wide characters and combining marks included", async () => {
  await run(["agent", "start", "demo", "-q"]);
  const tty = join(state, "../tty");
  const { type, shows, screen } = onTerminal("agent attach session", 80, `tty > '${tty}'`);
  await shows("\r> ");
  type(`${"日本語".repeat(6)}e\u0301`);
  await shows("e\u0301");
  spawn("stty", ["-F", readFileSync(tty, "utf8").trim(), "cols", "21"]);
  await shows("\n  e\u0301\u001b[K");
  expect(screen().slice(-3)).toEqual(["> 日本語日本語日本語", "  日本語日本語日本語", "  e\u0301"]);
});

test("Tab shows the agent's commands and completes them; an unknown command of ours is named with the nearest one", async () => {
  await run(["agent", "start", "demo", "commands", "-q"]);
  const { type, shows } = onTerminal("agent attach session");
  await shows("\r> ");
  type("/w\t");
  await shows("> /wr");
  await shows("  /write  write a file");
  await shows("  /wrap   wrap a file");
  type("i\t");
  await shows("> /write ");
  type("\u0015:detatch\r");
  await shows(":detatch is not a command; did you mean :detach?");
});

test("on a real terminal a tool's output is shown by its first and last lines, without its colours", async () => {
  const { ended, screen, written } = onTerminal("agent start demo output", 60, "true", "");
  await ended;
  const rows = screen();
  const from = rows.indexOf("• execute  npm test");
  const output = (first: number, last: number): string[] =>
    Array.from({ length: last - first + 1 }, (_, index) => `    line ${first + index}`);
  expect(rows.slice(from + 1, from + 17)).toEqual([
    ...output(1, 8),
    "    … 16 more lines …",
    ...output(25, 30),
    "  ✔ completed",
  ]);
  expect(written()).toContain("\u001b[");
  expect(written()).not.toContain("[35m");
});

test("on a real terminal the error that ends a session is printed once", async () => {
  const { ended, screen } = onTerminal("agent start demo break");
  expect(await ended).toEqual([1, null]);
  expect(screen().filter((row) => row.includes("AGENT_EXITED"))).toHaveLength(1);
  expect(screen().filter((row) => row.includes("exit code 1"))).toHaveLength(1);
});

test("on a real terminal --no-ask exits 5 at the first question, and nobody is asked", async () => {
  const { ended, screen, written } = onTerminal("agent start demo 'two questions' --no-ask");
  expect(await ended).toEqual([5, null]);
  expect(written()).not.toContain("[y/n");
  const told = screen().join(" ").replaceAll(/ +/g, " ");
  expect(told).toContain("UNANSWERED: the agent asked: execute npm run build");
  expect(told).toContain("with --no-ask nobody is asked, so turn 1 was cancelled");
});

test("on a real terminal the session of this directory needs no id, and --no-trunc writes paths in full", async () => {
  const here = join(state, "../a-directory-with-a-long-name/and-another-one-within-it");
  mkdirSync(here, { recursive: true });
  await run(["agent", "start", "demo", "hello", "--cwd", here, "-q"]);
  const home = env["HOME"] ?? "";
  const short = here.replace(home, "~").replace("/state/..", "");
  const attached = onTerminal("agent attach", 120, `cd '${here}'`);
  await attached.shows("the only live one in ");
  await attached.shows("\r> ");
  attached.type(":detach\r");
  expect(await attached.ended).toEqual([0, null]);
  expect(attached.screen()[0]).toMatch(/^session sessiona\w+ \(demo, idle\), the only live one in ~\//);
  const cut = await rowsOn(60, "agent ps");
  expect(cut[1]).toContain("…");
  expect(cut[1]).not.toContain(home);
  expect((await rowsOn(160, "agent ps"))[1]).toContain(short);
  const whole = await rowsOn(60, "agent ps --no-trunc");
  expect(whole.join("")).toContain(here.replace("/state/..", ""));
  expect(whole.join("")).not.toContain("…");
});

test("on a real terminal a cancel says what it cancels, by name, and whoever watches sees both ends of it", async () => {
  await run(["agent", "start", "demo", "for ever", "--name", "mine", "-d"]);
  const watching = onTerminal("agent attach mine");
  await watching.shows("> ");
  const cancelling = await rowsOn(80, "agent cancel mine");
  expect(cancelling).toEqual(["cancelling turn 1 of mine", 'to go on: mix agent send mine "…"']);
  await watching.shows("■ turn 1 cancelled");
  watching.type(":detach\r");
  await watching.ended;
  expect(watching.screen().filter((row) => row.startsWith("■ "))).toEqual([
    expect.stringMatching(/^■ cancel requested/),
    expect.stringMatching(/^■ turn 1 cancelled/),
  ]);
  expect(await rowsOn(80, "agent cancel mine")).toEqual(["mine has no turn to cancel"]);
});

test("on a real terminal show has what a session used and what it cost, and so has agent.session.get", async () => {
  await run(["agent", "start", "demo", "cost", "--name", "mine", "-q"]);
  const rows = await rowsOn(80, "agent show mine");
  expect(rows).toContainEqual(expect.stringMatching(/^context +1200 of 100000 tokens$/));
  expect(rows).toContainEqual(expect.stringMatching(/^used +1200 tokens, 1000 in, 200 out, 0.25 EUR in 1 turn$/));
  const { stdout } = await run(["call", "agent", "agent.session.get", "session=mine"]);
  expect(JSON.parse(stdout)).toMatchObject({ usage_total: { cost: { amount: 0.25, currency: "EUR" } } });
});
