// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the whole command line in the test's process, on a real Bus and with captured streams.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createBroker } from "../../bus-client/broker/index.ts";
import type { Broker } from "../../bus-client/broker/index.ts";
import { unixUrl } from "../../bus-client/index.ts";
import { streamSink } from "../../display/stream-sink.ts";
import { TextOutput } from "../../display/text-output.ts";
import { runCommandLine } from "../command-line.ts";
import type { Context, Interrupt } from "../process/context.ts";
import { ScriptedAgentd } from "./scripted-agentd.ts";
import type { AgentdScript } from "./scripted-agentd.ts";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly ended: Promise<Ran>;
  readonly interrupt: (by?: Interrupt) => void;
  /** Types on the terminal. */
  readonly type: (text: string) => void;
  /** Resolves once stdout or stderr contains the text. */
  readonly shows: (text: string) => Promise<void>;
}

export interface RunOptions {
  readonly tty?: boolean;
  readonly stdin?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly build?: string;
  /** How many times faster than real time its clock and timers run. */
  readonly speed?: number;
}

export class Bench {
  readonly directory: string;
  readonly url: string;
  readonly #path: string;
  readonly #agentds: ScriptedAgentd[] = [];
  #broker: Broker;

  private constructor(directory: string, broker: Broker, path: string) {
    this.directory = directory;
    this.#broker = broker;
    this.#path = path;
    this.url = unixUrl(path);
  }

  get broker(): Broker {
    return this.#broker;
  }

  static async create(): Promise<Bench> {
    const directory = mkdtempSync(join(tmpdir(), "mix-"));
    const path = join(directory, "bus", "bus.sock");
    const broker = createBroker();
    await broker.listenUnix(path);
    return new Bench(directory, broker, path);
  }

  loseBus(): Promise<void> {
    return this.#broker.close();
  }

  /** Starts another broker at the same address; every scripted agentd reconnects to it. */
  async restartBus(): Promise<void> {
    this.#broker = createBroker();
    await this.#broker.listenUnix(this.#path);
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
    const shown = new ShownText(stdout, stderr);
    const interrupts = new Set<(by: Interrupt) => void>();
    const raised = (by: Interrupt = "SIGINT"): void => {
      for (const listener of Array.from(interrupts)) listener(by);
    };
    const raise = (): void => raised();
    const { speed = 1 } = options;
    const began = Date.now();
    const context: Context = {
      words,
      env: { MIXOS_NODED_URL: this.url, ...options.env },
      cwd: () => options.cwd ?? this.directory,
      home: this.directory,
      uid: process.getuid?.() ?? -1,
      version: "0.0.0",
      build: options.build,
      stdin,
      stdout: new TextOutput(streamSink(stdout)),
      stderr: new TextOutput(streamSink(stderr)),
      now: () => began + (Date.now() - began) * speed,
      random: Math.random,
      after: (ms, run) => {
        const timer = setTimeout(run, ms / speed);
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
      jobControl: { listen: () => () => undefined, suspend: () => undefined },
    };
    const ended = runCommandLine(context).then((code) => ({ code, stdout: shown.stdout, stderr: shown.stderr }));
    return { ended, interrupt: raised, type: (text) => stdin.write(text), shows: (text) => shown.has(text) };
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

class ShownText {
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
