// SPDX-License-Identifier: MIT OR Apache-2.0
import { approximateLength } from "../../json/approximate-length.ts";
import type { SessionUpdate } from "./update.ts";

/** UTF-16 units that are held. */
const unitsMax = 1024 * 1024;

/** While history is read: the last message of a turn, until it is known whether a failure has cut it off. */
export class HeldAnswer {
  #updates: SessionUpdate[] = [];
  #units = 0;

  /** Returns what is held if it has become too much. */
  add(updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
    this.#updates.push(...updates);
    this.#units += approximateLength(updates, unitsMax);
    return this.#units < unitsMax ? [] : this.release();
  }

  release(): readonly SessionUpdate[] {
    const updates = this.#updates;
    this.drop();
    return updates;
  }

  drop(): void {
    this.#updates = [];
    this.#units = 0;
  }
}
