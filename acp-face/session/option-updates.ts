// SPDX-License-Identifier: MIT OR Apache-2.0
import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import type { SessionUpdate } from "../mapping/update.ts";

/** When an editor is told what is new of a session's options: after the reply to its own request, and not twice. */
export class OptionUpdates {
  readonly #write: (updates: readonly SessionUpdate[]) => void;
  #openRequests = 0;
  #held: readonly SessionUpdate[] = [];
  /** The options in the last reply that carried them all. */
  #replied: readonly object[] | undefined;

  constructor(write: (updates: readonly SessionUpdate[]) => void) {
    this.#write = write;
  }

  /** Runs a request of the editor that sets an option. What is new is held until its reply is written. */
  async during<T>(request: () => Promise<T>): Promise<T> {
    this.#openRequests += 1;
    try {
      return await request();
    } finally {
      void this.#tellAfterReply();
    }
  }

  /** The reply will carry these options, which are then no news. */
  replied(options: readonly object[]): void {
    this.#replied = options;
  }

  /** Returns the updates of an entry that are to be written now. */
  take(entry: Entry, updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
    if (entry.kind !== "options") return updates;
    if (this.#openRequests > 0) {
      this.#held = [...this.#held, ...updates];
      return [];
    }
    return this.#news(updates);
  }

  async #tellAfterReply(): Promise<void> {
    await setImmediate();
    this.#openRequests -= 1;
    if (this.#openRequests > 0) return;
    const held = this.#held;
    this.#held = [];
    this.#write(this.#news(held));
  }

  #news(updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
    return updates.filter((update) => {
      if (update.sessionUpdate !== "config_option_update") return true;
      const isReplied = isDeepStrictEqual(update.configOptions, this.#replied);
      this.#replied = undefined;
      return !isReplied;
    });
  }
}
