// SPDX-License-Identifier: MIT OR Apache-2.0
// A client that runs: the driver's process, what it is told and what it tells.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { within } from "../harness/deadline.ts";
import type { AnswerKind, DriverCommand, DriverEvent } from "./driver-protocol.ts";

export interface EditorProgram {
  readonly words: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Where the socket is made. */
  readonly socket: string;
}

type Event<Name extends DriverEvent["event"]> = Extract<DriverEvent, { event: Name }>;

export interface EditorTurn {
  /** Resolves when the client has shown that, in this turn or later. */
  said(words: string): Promise<void>;
  ended(): Promise<Event<"turn">>;
}

/** The longest that a client may take for anything, on a busy machine. */
const deadlineMs = 45_000;

export class RunningEditor implements AsyncDisposable {
  readonly #program: EditorProgram;
  readonly #server: Server;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #events: DriverEvent[] = [];
  readonly #watchers = new Set<() => void>();
  #socket: Socket | undefined;
  #words = "";
  #prompts = 0;

  private constructor(program: EditorProgram, server: Server) {
    this.#program = program;
    this.#server = server;
    const [file, ...args] = program.words;
    const env = { ...program.env, EDITOR_SOCKET: program.socket };
    const child = spawn(file, args, { cwd: program.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const note = (text: string): string => (this.#words += text);
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", note);
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", ({ message }) => {
        note(message);
        resolve();
      });
    });
  }

  /** Resolves when the driver is connected. */
  static async start(program: EditorProgram): Promise<RunningEditor> {
    const server = createServer().listen(program.socket);
    await once(server, "listening");
    const editor = new RunningEditor(program, server);
    try {
      await editor.#connected();
      return editor;
    } catch (error) {
      await editor[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #connected(): Promise<void> {
    const connected = new Promise<Socket>((resolve) => this.#server.once("connection", resolve));
    const ended = this.#exited.then(() => {
      throw new Error(`${this.#program.words.join(" ")} ended before it was connected:\n${this.#words}`);
    });
    ended.catch(() => {});
    this.#socket = await within(deadlineMs, "the driver did not connect", Promise.race([connected, ended]));
    this.#socket.on("error", () => {});
    createInterface({ input: this.#socket }).on("line", (line) => {
      this.#events.push(JSON.parse(line));
      for (const look of this.#watchers) look();
    });
  }

  /** Opens a session. Resolves to its id, as the client tells it. */
  async open(): Promise<string> {
    return (await this.#ask({ do: "open" }, "opened")).session;
  }

  async load(session: string): Promise<string> {
    return (await this.#ask({ do: "load", session }, "opened")).session;
  }

  async list(): Promise<readonly string[]> {
    return (await this.#ask({ do: "list" }, "listed")).sessions;
  }

  async setMode(value: string): Promise<void> {
    await this.#ask({ do: "mode", value }, "set");
  }

  async setOption(option: string, value: string): Promise<void> {
    await this.#ask({ do: "option", option, value }, "set");
  }

  /** Returns at once. `answer` is what the client answers to each permission of this turn. */
  prompt(text: string, answer?: AnswerKind): EditorTurn {
    const number = (this.#prompts += 1);
    const from = this.#events.length;
    this.tell({ do: "prompt", text, ...(answer === undefined ? {} : { answer }) });
    return {
      said: async (words) => {
        await this.#until(
          () => (this.text(from).includes(words) ? true : undefined),
          `the client did not show ${words}`,
        );
      },
      ended: () =>
        this.#until(
          () => this.#events.find((event): event is Event<"turn"> => event.event === "turn" && event.number === number),
          `turn ${number} of the client did not end`,
        ),
    };
  }

  /** What was shown of the agent's words, and asked, from the nth event on. */
  text(from = 0): string {
    return this.#events
      .slice(from)
      .flatMap((event) => (event.event === "said" ? [event.text] : []))
      .join("");
  }

  questions(): readonly (readonly string[])[] {
    return this.#events.flatMap((event) => (event.event === "asked" ? [event.kinds] : []));
  }

  tell(command: DriverCommand): void {
    this.#socket?.write(`${JSON.stringify(command)}\n`);
  }

  /** Has the client end the agent in its own way, and then itself. */
  async end(): Promise<void> {
    this.tell({ do: "end" });
    await within(deadlineMs, () => `the client did not end; ${this.#told()}`, this.#exited);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await within(deadlineMs, "the driver did not end", this.#exited);
    this.#socket?.destroy();
    this.#server.close();
    await rm(this.#program.socket, { force: true });
  }

  async #ask<Name extends DriverEvent["event"]>(command: DriverCommand, name: Name): Promise<Event<Name>> {
    const from = this.#events.length;
    this.tell(command);
    return await this.#until(
      () => this.#events.slice(from).find((event): event is Event<Name> => event.event === name),
      `the client did not ${command.do}`,
    );
  }

  /** The value as soon as there is one. Rejects when the client reports a failure or ends. */
  async #until<T>(find: () => T | undefined, what: string): Promise<T> {
    const from = this.#events.length;
    let stop = (): void => {};
    const found = new Promise<T>((resolve, reject) => {
      const look = (): void => {
        const value = find();
        const failure = this.#events.slice(from).find(({ event }) => event === "failed");
        if (value !== undefined) resolve(value);
        else if (failure !== undefined) reject(new Error(`${what}: ${JSON.stringify(failure)}`));
      };
      stop = () => this.#watchers.delete(look);
      this.#watchers.add(look);
      look();
    });
    const ended = this.#exited.then(() => {
      throw new Error(`${what}: it has ended; ${this.#told()}`);
    });
    try {
      return await within(deadlineMs, () => `${what}; ${this.#told()}`, Promise.race([found, ended]));
    } finally {
      stop();
      ended.catch(() => {});
    }
  }

  #told(): string {
    return `it told ${JSON.stringify(this.#events.slice(-20))} and said:\n${this.#words.slice(-4000)}`;
  }
}
