// SPDX-License-Identifier: MIT OR Apache-2.0
// The whole command line in this process, on a real Bus: streams that are looked at, and everything else as it is.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createBroker } from "../../bus-client/broker/index.ts";
import type { Broker } from "../../bus-client/broker/index.ts";
import { unixUrl } from "../../bus-client/index.ts";
import { streamSink } from "../../display/testing/stream-sink.ts";
import { TextOutput } from "../../display/text-output.ts";
import { runCommandLine } from "../command-line.ts";
import type { Context } from "../context.ts";
import { ScriptedAgentd } from "./scripted-agentd.ts";
import type { AgentdScript } from "./scripted-agentd.ts";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly ended: Promise<Ran>;
  readonly interrupt: () => void;
  /** What a person types. */
  readonly type: (text: string) => void;
  /** Resolves when stdout and stderr together show this. */
  readonly shows: (text: string) => Promise<void>;
}

export interface RunOptions {
  readonly tty?: boolean;
  readonly stdin?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

export class Bench {
  readonly directory: string;
  readonly url: string;
  readonly broker: Broker;
  readonly #agentds: ScriptedAgentd[] = [];

  private constructor(directory: string, broker: Broker, url: string) {
    this.directory = directory;
    this.broker = broker;
    this.url = url;
  }

  static async create(): Promise<Bench> {
    const directory = mkdtempSync(join(tmpdir(), "mix-"));
    const path = join(directory, "bus", "bus.sock");
    const broker = createBroker();
    await broker.listenUnix(path);
    return new Bench(directory, broker, unixUrl(path));
  }

  async agentd(script: AgentdScript = {}): Promise<ScriptedAgentd> {
    const agentd = new ScriptedAgentd({ url: () => this.broker.connectLocal() }, script);
    this.#agentds.push(agentd);
    await agentd.citizen.connect();
    return agentd;
  }

  run(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.start(words, options).ended;
  }

  start(words: readonly string[], options: RunOptions = {}): Running {
    const stdin = terminalStream(options.tty === true);
    if (options.stdin !== undefined) stdin.end(options.stdin);
    const stdout = terminalStream(options.tty === true);
    const stderr = terminalStream(options.tty === true);
    const shown = new Shown(stdout, stderr);
    const interrupts = new Set<() => void>();
    const raise = (): void => {
      for (const listener of Array.from(interrupts)) listener();
    };
    const context: Context = {
      words,
      env: { MIXOS_NODED_URL: this.url, ...options.env },
      cwd: () => options.cwd ?? this.directory,
      home: this.directory,
      uid: process.getuid?.() ?? -1,
      version: "0.0.0",
      stdin,
      stdout: new TextOutput(streamSink(stdout)),
      stderr: new TextOutput(streamSink(stderr)),
      now: Date.now,
      random: Math.random,
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      agentdProgram: join(this.directory, "no-agentd.mjs"),
      nodeProgram: process.execPath,
      interrupts: {
        raise,
        listen: (listener) => {
          interrupts.add(listener);
          return () => interrupts.delete(listener);
        },
      },
    };
    const ended = runCommandLine(context).then((code) => ({ code, stdout: shown.stdout, stderr: shown.stderr }));
    return { ended, interrupt: raise, type: (text) => stdin.write(text), shows: (text) => shown.has(text) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#agentds.map(({ citizen }) => citizen.stop()));
    await this.broker.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function terminalStream(tty: boolean): PassThrough & { isTTY?: boolean; columns?: number } {
  const stream = new PassThrough();
  return tty ? Object.assign(stream, { isTTY: true, columns: 80, setRawMode: () => stream }) : stream;
}

class Shown {
  stdout = "";
  stderr = "";
  readonly #waiting = new Set<{ readonly text: string; readonly resolve: () => void }>();

  constructor(stdout: PassThrough, stderr: PassThrough) {
    stdout.on("data", (chunk: Buffer) => {
      this.stdout += chunk.toString("utf8");
      this.#look();
    });
    stderr.on("data", (chunk: Buffer) => {
      this.stderr += chunk.toString("utf8");
      this.#look();
    });
  }

  has(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add({ text, resolve });
      this.#look();
    });
  }

  #look(): void {
    for (const wait of Array.from(this.#waiting)) {
      if (!`${this.stdout}\n${this.stderr}`.includes(wait.text)) continue;
      this.#waiting.delete(wait);
      wait.resolve();
    }
  }
}
