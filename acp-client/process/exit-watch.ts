// SPDX-License-Identifier: MIT OR Apache-2.0
// Decides when an agent has ended: its first process has exited, and either its stdout has ended or no successor lives.
// A successor is a process of the tree that holds both the agent's stdin and its stdout, such as an agent that a
// wrapper started before it exited. A tool that only holds stdout open is none. An agent that closed its stdout but
// keeps running is given up too, since it can send nothing more.
import type { AgentExit } from "../agent-events.ts";

export interface ExitWatchLimits {
  /** Time from the exit to the first check for a successor. Without one, stdout usually ends within this time. */
  readonly successorCheckMs: number;
  /** Time between checks of the successor. Its end is usually noticed earlier, by the end of stdout. */
  readonly successorPollMs: number;
  /** Time from the end of stdout to giving up the agent. */
  readonly stdoutClosedGraceMs: number;
}

const exitWatchLimits: ExitWatchLimits = { successorCheckMs: 100, successorPollMs: 1000, stdoutClosedGraceMs: 2000 };

export interface ExitWatchOptions {
  /** Checks whether a successor lives. */
  readonly hasSuccessor: () => Promise<boolean>;
  readonly onOver: () => void;
  readonly onStdoutClosed: () => void;
  readonly limits?: ExitWatchLimits;
}

type State =
  | { readonly state: "running" }
  | { readonly state: "stdout-closed"; readonly timer: NodeJS.Timeout }
  | { readonly state: "exited"; readonly exit: AgentExit; readonly timer: NodeJS.Timeout }
  | { readonly state: "over"; readonly exit: AgentExit };

export class ExitWatch {
  readonly #options: ExitWatchOptions;
  readonly #limits: ExitWatchLimits;
  #state: State = { state: "running" };
  #closed = false;

  constructor(options: ExitWatchOptions) {
    this.#options = options;
    this.#limits = options.limits ?? exitWatchLimits;
  }

  /** The exit of the first process; undefined while it runs. */
  get exit(): AgentExit | undefined {
    return this.#state.state === "exited" || this.#state.state === "over" ? this.#state.exit : undefined;
  }

  get isOver(): boolean {
    return this.#state.state === "over";
  }

  processExited(exit: AgentExit): void {
    switch (this.#state.state) {
      case "running":
        this.#state = {
          state: "exited",
          exit,
          timer: setTimeout(() => void this.#checkForSuccessor(exit), this.#limits.successorCheckMs),
        };
        return;
      case "stdout-closed":
        clearTimeout(this.#state.timer);
        this.#finish(exit);
        return;
      case "exited":
      case "over":
        return;
    }
  }

  stdoutEnded(): void {
    switch (this.#state.state) {
      case "running": {
        const timer = setTimeout(this.#options.onStdoutClosed, this.#limits.stdoutClosedGraceMs);
        this.#state = { state: "stdout-closed", timer };
        return;
      }
      case "exited":
        clearTimeout(this.#state.timer);
        this.#finish(this.#state.exit);
        return;
      case "stdout-closed":
      case "over":
        return;
    }
  }

  /** Stops watching. No callback is called afterwards. */
  close(): void {
    this.#closed = true;
    if (this.#state.state === "stdout-closed" || this.#state.state === "exited") clearTimeout(this.#state.timer);
  }

  async #checkForSuccessor(exit: AgentExit): Promise<void> {
    const state = this.#state;
    const hasHeir = await this.#options.hasSuccessor();
    if (this.#state !== state || this.#closed) return; // stdout ended meanwhile, or the watch was closed
    if (!hasHeir) {
      this.#finish(exit);
      return;
    }
    const timer = setTimeout(() => void this.#checkForSuccessor(exit), this.#limits.successorPollMs);
    this.#state = { state: "exited", exit, timer };
  }

  #finish(exit: AgentExit): void {
    this.#state = { state: "over", exit };
    this.#options.onOver();
  }
}
