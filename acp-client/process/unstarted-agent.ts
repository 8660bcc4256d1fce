// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AgentExit } from "../agent-events.ts";
import type { AgentProcess } from "./agent-process.ts";
import type { SpawnFailure } from "./spawn-failure.ts";

/** An agent that could not be started. Its exit gives the reason. */
export class UnstartedAgent implements AgentProcess {
  readonly pid = undefined;
  readonly identity = undefined;
  readonly writableBytes = 0;
  readonly #exit: Promise<AgentExit>;

  constructor(failure: Promise<SpawnFailure>) {
    this.#exit = failure.then((spawnError) => ({ code: null, signal: null, spawnError }));
  }

  onStdout(): void {}

  onExit(listener: (exit: AgentExit) => void): void {
    void this.#exit.then(listener);
  }

  write(): boolean {
    return false;
  }

  closeStdin(): void {}

  onStdinGone(): void {}

  pause(): void {}

  resume(): void {}

  stderrTail(): string {
    return "";
  }

  rememberTree(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<AgentExit> {
    return this.#exit;
  }
}
