// SPDX-License-Identifier: MIT OR Apache-2.0
// When is an agent over? One rule:
//   its first process has exited, and its stdout has ended or no living process of its tree holds both its stdin and
//   its stdout.
// A process that does is an heir: an agent that re-executed itself behind a wrapper that is gone. A tool that merely
// holds stdout open is none. And an agent that closed its stdout but lives on is over too, for it can say no more.
import type { AgentExit } from "../agent-events.ts";

export interface ExitWatchLimits {
  /** From the exit to the look for an heir: what has no heir ends its stdout in this time as a rule. */
  readonly successorCheckMs: number;
  /** Between looks whether the heir still lives: its end is seen at once unless something else holds stdout. */
  readonly successorPollMs: number;
  /** From the end of stdout to giving the agent up. */
  readonly stdoutClosedGraceMs: number;
}

const exitWatchLimits: ExitWatchLimits = { successorCheckMs: 100, successorPollMs: 1000, stdoutClosedGraceMs: 2000 };

export interface ExitWatchOptions {
  /** Whether an heir lives. */
  readonly hasSuccessor: () => Promise<boolean>;
  readonly onOver: () => void;
  readonly onStdoutClosed: () => void;
  readonly limits?: ExitWatchLimits;
}

type State =
  | { readonly state: "running" }
  | { readonly state: "mute"; readonly timer: NodeJS.Timeout }
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

  /** How the first process exited; undefined while it runs. */
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
      case "mute":
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
        this.#state = { state: "mute", timer };
        return;
      }
      case "exited":
        clearTimeout(this.#state.timer);
        this.#finish(this.#state.exit);
        return;
      case "mute":
      case "over":
        return;
    }
  }

  /** Nothing is watched or told any more. */
  close(): void {
    this.#closed = true;
    if (this.#state.state === "mute" || this.#state.state === "exited") clearTimeout(this.#state.timer);
  }

  async #checkForSuccessor(exit: AgentExit): Promise<void> {
    const life = this.#state;
    const hasHeir = await this.#options.hasSuccessor();
    if (this.#state !== life || this.#closed) return; // stdout ended meanwhile, or nobody wants to know any more
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
