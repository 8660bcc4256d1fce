// SPDX-License-Identifier: MIT OR Apache-2.0
// A fake AgentProcess. Tests send the agent's messages, one read of the pipe at a time. If the client writes a message
// that is invalid by the official schema, the write throws.
import type { AgentExit } from "../agent-events.ts";
import type { AgentProcess } from "../process/agent-process.ts";
import type { StopLimits } from "../process/stop-ladder.ts";
import { objectionsToClientFrame } from "./official-schema.ts";

export type Frame = Readonly<Record<string, unknown>> & { readonly params?: Readonly<Record<string, unknown>> };

export class FakeAgent implements AgentProcess {
  readonly pid = 4711;
  readonly identity = undefined;
  readonly frames: Frame[] = [];
  readonly calls: string[] = [];
  stderr = "";
  writableBytes = 0;
  /** The limits of the last `stop`. */
  stopLimits: Partial<StopLimits> | undefined;
  readonly #asked = new Map<unknown, string>();
  readonly #answered = new Set<Frame>();
  #onStdout: (chunk: Buffer) => void = () => {};
  #onExit: (exit: AgentExit) => void = () => {};
  #onStdinGone: () => void = () => {};
  #exit: AgentExit | undefined;
  #stopped: (exit: AgentExit) => void = () => {};

  /** Sends messages in one read of the pipe. */
  say(...messages: readonly object[]): void {
    for (const message of messages) {
      if ("id" in message && "method" in message) this.#asked.set(message.id, String(message.method));
    }
    this.sayRaw(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  sayRaw(bytes: string | Buffer): void {
    this.#onStdout(Buffer.from(bytes as string));
  }

  /** Returns the response to the oldest unanswered request of a method, for `say`. */
  answer(method: string, result: unknown): object {
    return { jsonrpc: "2.0", id: this.#take(method)["id"], result };
  }

  refusal(method: string, error: object): object {
    return { jsonrpc: "2.0", id: this.#take(method)["id"], error };
  }

  /** Returns the params of all messages with a method, in order. */
  sent(method: string): unknown[] {
    return this.frames.filter((frame) => frame["method"] === method).map((frame) => frame["params"]);
  }

  /** Returns the client's responses to the agent's request with an id. */
  answersTo(id: unknown): Frame[] {
    return this.frames.filter((frame) => frame["method"] === undefined && frame["id"] === id);
  }

  exit(exit: AgentExit = { code: 0, signal: null }): void {
    this.#exit = exit;
    this.#onExit(exit);
    this.#stopped(exit);
  }

  onStdout(listener: (chunk: Buffer) => void): void {
    this.#onStdout = listener;
  }

  onExit(listener: (exit: AgentExit) => void): void {
    this.#onExit = listener;
  }

  write(line: string, written?: () => void): boolean {
    if (!line.endsWith("\n") || line.slice(0, -1).includes("\n")) throw new Error(`Not one line: ${line}`);
    const frame = JSON.parse(line) as Frame;
    this.frames.push(frame);
    const objections = objectionsToClientFrame(frame, this.#asked.get(frame["id"]));
    if (objections.length > 0) throw new Error(`${objections.join("; ")} in ${line}`);
    if (written) queueMicrotask(written);
    return true;
  }

  /** Simulates that the agent closed its stdin but keeps running. */
  loseStdin(): void {
    this.#onStdinGone();
  }

  onStdinGone(listener: () => void): void {
    this.#onStdinGone = listener;
  }

  closeStdin(): void {
    this.calls.push("closeStdin");
  }

  pause(): void {
    this.calls.push("pause");
  }

  resume(): void {
    this.calls.push("resume");
  }

  stderrTail(): string {
    return this.stderr;
  }

  rememberTree(): Promise<void> {
    this.calls.push("rememberTree");
    return Promise.resolve();
  }

  stop(limits: Partial<StopLimits> = {}): Promise<AgentExit> {
    this.calls.push("stop");
    this.stopLimits = limits;
    if (this.#exit !== undefined) return Promise.resolve(this.#exit);
    return new Promise((resolve) => {
      this.#stopped = resolve;
      setImmediate(() => this.exit());
    });
  }

  #take(method: string): Frame {
    const frame = this.frames.find(
      (candidate) => candidate["method"] === method && "id" in candidate && !this.#answered.has(candidate),
    );
    if (frame === undefined) throw new Error(`The client did not send ${method}`);
    this.#answered.add(frame);
    return frame;
  }
}
