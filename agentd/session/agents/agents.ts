// SPDX-License-Identifier: MIT OR Apache-2.0
// The running agents, at most one of each session: starts them, pauses them, and stops them.
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { SessionState } from "../core/state.ts";
import { AgentRun, type AgentRunOptions, type Launch } from "./agent-run.ts";

export type PlannedLaunch =
  | { readonly ok: true; readonly launch: Launch }
  | { readonly ok: false; readonly failure: AgentFailure };

export interface AgentsOptions extends Omit<AgentRunOptions, "newKey"> {
  readonly plan: (state: SessionState) => PlannedLaunch;
  /** Resolves after the current batch, replies included. */
  readonly soon: () => Promise<void>;
}

/** Why agents are not read: the log cannot be written, or too many inputs wait. */
export type PauseReason = "store" | "pressure";

export class Agents {
  readonly #options: AgentsOptions;
  readonly #runOptions: AgentRunOptions;
  readonly #running = new Map<string, AgentRun>();
  /** Agents that are being stopped. The next agent of the session starts when they are gone. */
  readonly #ending = new Map<string, Promise<void>>();
  /** `runSeq` of each launch that has not started yet. */
  readonly #queuedLaunches = new Map<string, number>();
  readonly #pauseReasons = new Set<PauseReason>();
  #lastKey = 0;

  constructor(options: AgentsOptions) {
    this.#options = options;
    this.#runOptions = { ...options, newKey: () => (this.#lastKey += 1) };
  }

  get(session: string): AgentRun | undefined {
    return this.#running.get(session);
  }

  /** Launches after the previous agent is gone and the command's reply was sent, since a spawn blocks. */
  launch(state: SessionState): void {
    const { id: session, runSeq } = state;
    this.#queuedLaunches.set(session, runSeq);
    const previous = this.#ending.get(session) ?? Promise.resolve();
    void previous
      .then(() => this.#options.soon())
      .then(() => {
        if (this.#queuedLaunches.get(session) !== runSeq) return;
        this.#queuedLaunches.delete(session);
        this.#launch(state);
      });
  }

  /** Applies back-pressure to every agent: nothing is read from them while any reason holds. */
  setPaused(reason: PauseReason, holds: boolean): void {
    const wasPaused = this.#pauseReasons.size > 0;
    if (holds) this.#pauseReasons.add(reason);
    else this.#pauseReasons.delete(reason);
    const isPaused = this.#pauseReasons.size > 0;
    if (isPaused === wasPaused) return;
    for (const { client } of this.#running.values()) {
      if (isPaused) client.pause();
      else client.resume();
    }
  }

  /** The sessions whose agent runs or is about to start. */
  sessions(): ReadonlySet<string> {
    return new Set([...this.#running.keys(), ...this.#queuedLaunches.keys()]);
  }

  /** Stops the agent and its process tree, then posts `stopped`. */
  stop(session: string): void {
    const { post } = this.#options;
    this.#queuedLaunches.delete(session);
    const running = this.#running.get(session);
    if (!running) {
      // The agent of an earlier run may still be stopping; this run has ended when that one is gone.
      const before = this.#ending.get(session);
      if (before === undefined) post(session, { type: "stopped" });
      else void before.then(() => post(session, { type: "stopped" }));
      return;
    }
    this.#running.delete(session);
    const ended = running.stop().then(() => {
      this.#ending.delete(session);
      post(session, { type: "stopped" }, running.runSeq);
    });
    this.#ending.set(session, ended);
  }

  /** Resolves when every agent that is being stopped is gone. */
  async ended(): Promise<void> {
    while (this.#ending.size > 0) await Promise.all(this.#ending.values());
  }

  #launch(state: SessionState): void {
    const { id: session, runSeq } = state;
    const planned = this.#options.plan(state);
    if (!planned.ok) {
      this.#options.post(session, { type: "open_failed", failure: planned.failure }, runSeq);
      return;
    }
    const run = new AgentRun(state, planned.launch, this.#runOptions);
    this.#running.set(session, run);
    if (this.#pauseReasons.size > 0) run.client.pause();
    run.open();
  }
}
