// SPDX-License-Identifier: MIT OR Apache-2.0
import type { TurnEntry } from "../../agentd/vocabulary/entries.ts";
import type { SessionUpdate } from "./update.ts";

/** Turns of one session whose prompts are held. */
const turnsMax = 64;

/** Holds the prompts of queued turns, so that the editor gets each before its turn and not in the middle of another. */
export class QueuedPrompts {
  readonly #held = new Map<number, readonly SessionUpdate[]>();

  /** Returns the updates to write now: none if the turn waits. */
  add(turn: number | undefined, updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
    const held = turn === undefined ? undefined : this.#held.get(turn);
    if (turn === undefined || held === undefined) return updates;
    this.#held.set(turn, [...held, ...updates]);
    return [];
  }

  /** Returns the prompt of a turn that starts, and of one that the running turn has taken in. */
  apply({ turn, phase, into }: TurnEntry): readonly SessionUpdate[] {
    if (phase === "queued") {
      if (this.#held.size < turnsMax) this.#held.set(turn, []);
      return [];
    }
    const held = this.#held.get(turn) ?? [];
    this.#held.delete(turn);
    return phase === "started" || into !== undefined ? held : [];
  }
}
