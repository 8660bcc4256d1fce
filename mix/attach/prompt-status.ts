// SPDX-License-Identifier: MIT OR Apache-2.0
// What the prompt line says of the session: its state, since when its turn runs, and the prompts that wait. Pure.
import type { Entry, SessionPhase } from "../../agentd/vocabulary/entries.ts";
import { contentToText } from "../../agent-client/view/content.ts";
import { foldSilence } from "../../agent-client/view/silence.ts";
import { formatElapsed } from "../../display/units.ts";

export class PromptStatus {
  readonly phase: SessionPhase;
  /** Milliseconds since 1970. Undefined while no turn runs. */
  readonly turnStartedAt: number | undefined;
  /** The text of each queued prompt, by its turn. */
  readonly #queue: ReadonlyMap<number, string>;
  /** Since when the model has been silent, as agentd reported it. */
  readonly #silentSince: string | undefined;

  constructor(
    phase: SessionPhase,
    turnStartedAt?: number,
    queue: ReadonlyMap<number, string> = new Map(),
    silentSince?: string,
  ) {
    this.phase = phase;
    this.turnStartedAt = turnStartedAt;
    this.#queue = queue;
    this.#silentSince = silentSince;
  }

  apply(entry: Entry): PromptStatus {
    const silentSince = foldSilence(this.#silentSince, entry);
    const status =
      silentSince === this.#silentSince
        ? this
        : new PromptStatus(this.phase, this.turnStartedAt, this.#queue, silentSince);
    return status.#apply(entry);
  }

  #apply(entry: Entry): PromptStatus {
    const { phase, turnStartedAt } = this;
    const silentSince = this.#silentSince;
    if (entry.kind === "state") return new PromptStatus(entry.state, turnStartedAt, this.#queue, silentSince);
    if (entry.kind === "message" && entry.role === "user" && entry.turn !== undefined) {
      const before = this.#queue.get(entry.turn);
      if (before === undefined) return this;
      const text = `${before}${contentToText(entry.content)}`.slice(0, noteUnitsMax);
      return new PromptStatus(phase, turnStartedAt, new Map(this.#queue).set(entry.turn, text), silentSince);
    }
    if (entry.kind !== "turn") return this;
    if (entry.phase === "queued") {
      const queue = new Map(this.#queue).set(entry.turn, this.#queue.get(entry.turn) ?? "");
      return new PromptStatus(phase, turnStartedAt, queue, silentSince);
    }
    const queue = new Map(this.#queue);
    const wasQueued = queue.delete(entry.turn);
    if (entry.phase === "started") return new PromptStatus(phase, Date.parse(entry.at), queue);
    // A turn that ends in the queue has never run.
    return new PromptStatus(phase, wasQueued ? turnStartedAt : undefined, queue);
  }

  /** The text before the line. */
  prompt(now: number): string {
    if (this.phase === "idle") return "> ";
    const running = this.phase === "running" && this.turnStartedAt !== undefined;
    const took = running ? ` ${formatElapsed(now - (this.turnStartedAt ?? now))}` : "";
    const since = running ? this.#silentSince : undefined;
    const silent = since === undefined ? "" : ` · no answer for ${formatElapsed(now - Date.parse(since))}`;
    return `${this.phase}${took}${silent}${this.#queue.size === 0 ? "" : ` · ${this.#queue.size} queued`} > `;
  }

  /** When the prompt's text changes next, in milliseconds. Undefined while no time is shown. */
  changesIn(now: number): number | undefined {
    if (this.phase !== "running" || this.turnStartedAt === undefined) return undefined;
    const elapsed = Math.max(0, now - this.turnStartedAt);
    return second - (elapsed % second);
  }

  /** Rows that show the waiting prompts. */
  notes(): string[] {
    const shown = Array.from(this.#queue.values())
      .slice(0, notesMax)
      .map((text) => `  queued: ${text.trim()}`);
    const left = this.#queue.size - shown.length;
    return left === 0 ? shown : [...shown, `  … ${left} more queued`];
  }
}

const second = 1000;
const notesMax = 3;
/** More does not fit a row. */
const noteUnitsMax = 500;
