// SPDX-License-Identifier: MIT OR Apache-2.0
// A person's terminal: a tmux server of its own, with one shell a window. It is driven in tmux's control mode, which
// tells when something was printed, so that a test looks again when there is something new.
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { within } from "./deadline.ts";

const deadlineMs = 30_000;

/** Why there is no tmux to drive; undefined where there is one. */
export function whyNoTmux(): string | undefined {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "tmux is not installed";
  }
}

interface TerminalOptions {
  readonly socket: string;
  readonly columns: number;
  readonly rows: number;
  /** The whole environment of the shells. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly shell: string;
}

interface Reply {
  resolve(lines: string[]): void;
  reject(error: Error): void;
}

export class Terminal implements AsyncDisposable {
  readonly #client: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  readonly #shell: string;
  readonly #replies: Reply[] = [];
  #block: string[] | undefined;
  /** Counts what was printed in any window. */
  #printed = 0;
  #wake = (): void => {};
  #complaint = "";

  static async open(options: TerminalOptions): Promise<Terminal> {
    const terminal = new Terminal(options);
    await terminal.run(`refresh-client -C ${options.columns}x${options.rows}`);
    // The server, its windows and their programs end with this client, also where the test is killed.
    await terminal.run("set-option -g exit-unattached on");
    await terminal.run("set-option -g status off");
    return terminal;
  }

  private constructor({ socket, columns, rows, environment, directory, shell }: TerminalOptions) {
    this.#shell = shell;
    const size = ["-x", String(columns), "-y", String(rows)];
    const args = ["-S", socket, "-f", "/dev/null", "-C", "new-session", ...size, "-c", directory, shell];
    // tmux takes the environment of its first client for all of its windows.
    const path = process.env["PATH"] ?? "";
    const tmux = execFileSync("/bin/sh", ["-c", "command -v tmux"], { env: { PATH: path }, encoding: "utf8" }).trim();
    this.#client = spawn(tmux, args, { env: environment, cwd: directory });
    this.#exited = new Promise((resolve) => this.#client.once("close", () => resolve()));
    this.#client.stderr.setEncoding("utf8").on("data", (text: string) => (this.#complaint += text));
    this.#client.stdin.on("error", () => {});
    // The first reply is to `new-session`, which came on the command line.
    this.#replies.push({ resolve: () => {}, reject: (error) => (this.#complaint += error.message) });
    createInterface({ input: this.#client.stdout }).on("line", (line) => this.#read(line));
    void this.#exited.then(() => {
      for (const reply of this.#replies.splice(0)) reply.reject(new Error(`tmux has ended: ${this.#complaint}`));
    });
  }

  async newWindow(): Promise<Window> {
    const [id = ""] = await this.run(`new-window -d -P -F "#{pane_id}" ${quoted(this.#shell)}`);
    return new Window(id, this);
  }

  async firstWindow(): Promise<Window> {
    const [id = ""] = await this.run('display-message -p "#{pane_id}"');
    return new Window(id, this);
  }

  /** Calls `look` now and whenever something was printed, until it returns something. */
  async until<T>(look: () => Promise<T | undefined>, missing: () => string): Promise<T> {
    const deadline = performance.now() + deadlineMs;
    for (;;) {
      const seen = this.#printed;
      const found = await look();
      if (found !== undefined) return found;
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#printed !== seen) resolve();
      });
      await within(deadline - performance.now(), missing, Promise.race([more, this.#exited]));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.stdin.end("kill-server\n");
    await within(deadlineMs, "tmux did not end", this.#exited);
  }

  /** Runs a tmux command, and returns what it printed. */
  run(command: string): Promise<string[]> {
    return within(
      deadlineMs,
      `tmux did not answer: ${command}`,
      new Promise((resolve, reject) => {
        this.#replies.push({ resolve, reject });
        this.#client.stdin.write(`${command}\n`);
      }),
    );
  }

  /** A reply is the lines between `%begin` and `%end` or `%error`; `%output` tells that a pane has printed. */
  #read(line: string): void {
    if (this.#block === undefined) {
      if (line.startsWith("%begin ")) this.#block = [];
      if (!line.startsWith("%output ")) return;
      this.#printed += 1;
      this.#wake();
      return;
    }
    if (!/^%(?:end|error) \d+ \d+ \d+$/.test(line)) {
      this.#block.push(line);
      return;
    }
    const reply = this.#replies.shift();
    if (line.startsWith("%end")) reply?.resolve(this.#block);
    else reply?.reject(new Error(this.#block.join("\n")));
    this.#block = undefined;
  }
}

export class Window {
  readonly #pane: string;
  readonly #terminal: Terminal;

  constructor(pane: string, terminal: Terminal) {
    this.#pane = pane;
    this.#terminal = terminal;
  }

  /** The rows on the screen, without empty ones at the end. */
  screen(): Promise<string> {
    return this.#capture("");
  }

  /** The rows on the screen and those that have left it. */
  all(): Promise<string> {
    return this.#capture("-S -");
  }

  type(text: string): Promise<unknown> {
    return this.#run("send-keys", `-l -- ${quoted(text)}`);
  }

  /** `Enter`, `Tab`, `C-c` … */
  press(...keys: readonly string[]): Promise<unknown> {
    return this.#run("send-keys", keys.join(" "));
  }

  /** Pastes as terminals do, in brackets where the program has asked for them. */
  async paste(text: string): Promise<void> {
    await this.#terminal.run(`set-buffer ${quoted(text)}`);
    await this.#run("paste-buffer -p -d");
  }

  forgetPast(): Promise<unknown> {
    return this.#run("clear-history");
  }

  /** Waits until the screen shows what is wanted, and returns it. */
  shows(wanted: string | RegExp | ((screen: string) => boolean)): Promise<string> {
    const isShown = (screen: string): boolean => {
      if (typeof wanted === "function") return wanted(screen);
      return typeof wanted === "string" ? screen.includes(wanted) : wanted.test(screen);
    };
    let last = "";
    return this.#terminal.until(
      async () => {
        last = await this.screen();
        return isShown(last) ? last : undefined;
      },
      () => `the screen did not show ${String(wanted)}, but:\n${last}\n`,
    );
  }

  #run(command: string, rest = ""): Promise<string[]> {
    return this.#terminal.run(`${command} -t ${this.#pane} ${rest}`);
  }

  async #capture(flags: string): Promise<string> {
    const lines = await this.#run("capture-pane -p", flags);
    return lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trimEnd();
  }
}

/** One word of a tmux command line; control mode reads a command a line. */
function quoted(text: string): string {
  return `"${text.replace(/["$\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
