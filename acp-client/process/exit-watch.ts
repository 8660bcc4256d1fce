// SPDX-License-Identifier: MIT OR Apache-2.0
// Decides when an agent has ended: its first process has exited, and either its stdout has ended or no successor lives.
// A successor is a process of the tree that holds both the agent's stdin and its stdout, such as an agent that a
// wrapper started before it exited. A tool that holds only stdout open is not one. An agent that closed its stdout
// but keeps running is given up too, since it can send nothing more.
import type { AgentExit } from "../agent-events.ts";

/** Time from the exit to the first check for a successor. Without one, stdout usually ends within this time. */
const successorCheckMs = 100;
/** Time between checks of the successor. Its end is usually noticed earlier, by the end of stdout. */
const successorPollMs = 1000;
/** Time from the end of stdout to giving up the agent. */
const stdoutClosedGraceMs = 2000;

export interface ExitWatchOptions {
  readonly hasSuccessor: () => Promise<boolean>;
  readonly onOver: () => void;
  readonly onStdoutClosed: () => void;
}

type State =
  | { readonly state: "running" }
  | { readonly state: "stdout-closed"; readonly timer: NodeJS.Timeout }
  | { readonly state: "exited"; readonly exit: AgentExit; readonly timer: NodeJS.Timeout }
  | { readonly state: "over"; readonly exit: AgentExit };

export class ExitWatch {
  readonly #options: ExitWatchOptions;
  #state: State = { state: "running" };
  #closed = false;

  constructor(options: ExitWatchOptions) {
    this.#options = options;
  }

  /** The exit of the first process; undefined while it runs. */
  get exit(): AgentExit | undefined {
    return this.#state.state === "exited" || this.#state.state === "over" ? this.#state.exit : undefined;
  }

  get isOver(): boolean {
    return this.#state.state === "over";
  }

  processExited(exit: AgentExit): void {
    const state = this.#state;
    if (state.state === "running") this.#checkAfter(successorCheckMs, exit);
    else if (state.state === "stdout-closed") {
      clearTimeout(state.timer);
      this.#finish(exit);
    }
  }

  stdoutEnded(): void {
    const state = this.#state;
    if (state.state === "running") {
      this.#state = { state: "stdout-closed", timer: setTimeout(this.#options.onStdoutClosed, stdoutClosedGraceMs) };
    } else if (state.state === "exited") {
      clearTimeout(state.timer);
      this.#finish(state.exit);
    }
  }

  /** Stops watching. No callback is called afterwards. */
  close(): void {
    this.#closed = true;
    if (this.#state.state === "stdout-closed" || this.#state.state === "exited") clearTimeout(this.#state.timer);
  }

  #checkAfter(ms: number, exit: AgentExit): void {
    this.#state = { state: "exited", exit, timer: setTimeout(() => void this.#checkForSuccessor(exit), ms) };
  }

  async #checkForSuccessor(exit: AgentExit): Promise<void> {
    const state = this.#state;
    const hasHeir = await this.#options.hasSuccessor();
    if (this.#state !== state || this.#closed) return; // stdout ended meanwhile, or the watch was closed
    if (!hasHeir) return this.#finish(exit);
    this.#checkAfter(successorPollMs, exit);
  }

  #finish(exit: AgentExit): void {
    this.#state = { state: "over", exit };
    this.#options.onOver();
  }
}
