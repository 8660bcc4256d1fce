// SPDX-License-Identifier: MIT OR Apache-2.0

export interface HeldMessagesLimits {
  readonly heldMessagesMax: number;
  readonly heldCharactersMax: number;
}

/** What an agent says about a session before it has told the session's id: kept in order, up to a limit. */
export class HeldMessages {
  readonly #limits: HeldMessagesLimits;
  #deliveries: (() => void)[] = [];
  #characters = 0;

  constructor(limits: HeldMessagesLimits) {
    this.#limits = limits;
  }

  /** False when it is full: the message is dropped, so that those before it stay in order and whole. */
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
