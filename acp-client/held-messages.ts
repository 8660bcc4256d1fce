// SPDX-License-Identifier: MIT OR Apache-2.0
import type { ClientLimits } from "./client-limits.ts";

type HeldMessagesLimits = Pick<ClientLimits, "heldMessagesMax" | "heldCharactersMax">;

/** Queues messages about a session that arrive before the response that gives its id, up to a limit. */
export class HeldMessages {
  readonly #limits: HeldMessagesLimits;
  #deliveries: (() => void)[] = [];
  #characters = 0;

  constructor(limits: HeldMessagesLimits) {
    this.#limits = limits;
  }

  /** Returns false if the queue is full, in which case the message is dropped. */
  hold(characters: number, deliver: () => void): boolean {
    const { heldMessagesMax, heldCharactersMax } = this.#limits;
    if (this.#deliveries.length >= heldMessagesMax || this.#characters + characters > heldCharactersMax) return false;
    this.#characters += characters;
    this.#deliveries.push(deliver);
    return true;
  }

  release(): void {
    const deliveries = this.#deliveries;
    this.#deliveries = [];
    this.#characters = 0;
    for (const deliver of deliveries) deliver();
  }
}
