// SPDX-License-Identifier: MIT OR Apache-2.0
// A new user's machine and terminal, and the recording of what the terminal shows.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Terminal, type Window } from "../harness/terminal.ts";
import { normalise } from "./normalise.ts";

const mixProgram = fileURLToPath(new URL("../../dist/bin/mix.cjs", import.meta.url));
const demoAgentProgram = fileURLToPath(new URL("../../dist/agentd/demo-agent/main.js", import.meta.url));

/** All programs that the user has: what is installed on the machine beside them changes nothing. */
const programs = ["bash", "cat", "git", "ls", "sh"];

/** The prompt, and the exit code of a command that failed. */
const shellSettings = `PS1='$ '
PROMPT_COMMAND='__code=$?; [ $__code -eq 0 ] || echo "(exit $__code)"'
`;

interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Walk extends AsyncDisposable {
  /** In a project, a git repository in the home directory. */
  readonly shell: Shell;
  /** Another window beside it. */
  newShell(): Promise<Shell>;
  recording(): string;
}

export async function openWalk(size: Size): Promise<Walk> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "agentd-walk-")));
  const project = join(home, "src", "shop");
  const bin = join(home, "bin");
  for (const directory of [bin, project, join(home, "run")]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  symlinkSync(mixProgram, join(bin, "mix"));
  symlinkSync(process.execPath, join(bin, "node"));
  for (const name of programs) {
    const found = execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    symlinkSync(found, join(bin, name));
  }
  const environment = {
    HOME: home,
    PATH: bin,
    LANG: "C.UTF-8",
    TZ: "UTC",
    XDG_RUNTIME_DIR: join(home, "run"),
    // Nothing of the machine's own Bus is looked at.
    MIXOS_ETC: join(home, "etc"),
  };
  writeFileSync(join(bin, "my-agent"), `#!/bin/sh\nexec node '${demoAgentProgram}'\n`, { mode: 0o700 });
  writeFileSync(join(home, ".bashrc"), shellSettings);
  execFileSync(join(bin, "git"), ["init", "--quiet", project], { env: environment });
  const terminal = await Terminal.open({
    ...size,
    environment,
    socket: join(home, "run", "tmux"),
    directory: project,
    shell: `${join(bin, "bash")} --rcfile ${join(home, ".bashrc")}`,
  });
  const recording = new Recording({ ...size, home });
  return {
    shell: new Shell(await terminal.firstWindow(), recording),
    newShell: async () => new Shell(await terminal.newWindow(), recording),
    recording: () => recording.text(),
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      // Where a step failed, agentd still runs.
      spawnSync(process.execPath, [mixProgram, "agent", "stop"], { env: environment, stdio: "ignore" });
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Steps with a title each, and what the terminal showed. */
class Recording {
  readonly #steps: { readonly title: string; readonly shown: string }[] = [];
  readonly #machine: Size & { readonly home: string };

  constructor(machine: Size & { readonly home: string }) {
    this.#machine = machine;
  }

  add(title: string, shown: string): void {
    this.#steps.push({ title, shown });
  }

  text(): string {
    const { columns, rows } = this.#machine;
    const text = this.#steps.map(({ title, shown }, index) => {
      const height = shown.split("\n").length;
      // What has scrolled off the screen is shown as well.
      const more = height > rows ? ` (${height} rows, on a screen of ${rows})` : "";
      return `${`== ${index + 1}. ${title}${more} `.padEnd(columns, "=")}\n${shown}\n`;
    });
    return normalise(text.join("\n"), this.#machine);
  }
}

export class Shell {
  readonly window: Window;
  readonly #recording: Recording;

  constructor(window: Window, recording: Recording) {
    this.window = window;
    this.#recording = recording;
  }

  /** Clears the screen, types a command and waits until the shell asks for the next. Records all that was printed. */
  async runs(title: string, command: string): Promise<void> {
    await this.begins(command);
    await this.ends(title);
  }

  /** Types an answer, and waits until the command ends. */
  async answers(title: string, text: string): Promise<void> {
    await this.window.type(text);
    await this.window.press("Enter");
    await this.ends(title);
  }

  /** Waits until the shell asks for the next command. Records all that was printed since the last one. */
  async ends(title: string): Promise<void> {
    await this.window.shows(hasPromptBelow);
    this.#recording.add(title, (await this.window.all()).replace(/\n\$$/, ""));
  }

  /** Clears the screen and types a command, which goes on. */
  async begins(command: string): Promise<void> {
    const before = await this.window.shows(/(?:^|\n)\$$/);
    if (before !== "$") {
      await this.window.press("C-l");
      await this.window.shows(/^\$$/);
    }
    await this.window.forgetPast();
    await this.window.type(command);
    await this.window.press("Enter");
  }

  /** Waits until the screen shows this, and records the screen. */
  async shows(title: string, wanted: Parameters<Window["shows"]>[0]): Promise<string> {
    const screen = await this.window.shows(wanted);
    this.#recording.add(title, screen);
    return screen;
  }
}

/** Whether the command has ended, below whatever it printed. */
function hasPromptBelow(screen: string): boolean {
  return screen.endsWith("\n$");
}
