// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Answer } from "../../bus-client/index.ts";
import type { CallerToken } from "../session/core/state.ts";
import type { SentReply } from "../session/mailbox/posted-input.ts";

/** Callers that wait for a reply. Each gets a token, which its command carries through the mailbox to the reply. */
export class Callers {
  readonly #waiting = new Map<CallerToken, (answer: Answer) => void>();
  #last = 0;

  add(resolve: (answer: Answer) => void): CallerToken {
    this.#last += 1;
    this.#waiting.set(this.#last, resolve);
    return this.#last;
  }

  /** Ignores a second reply to the same caller. */
  reply({ caller, rc, body }: SentReply): void {
    const resolve = this.#waiting.get(caller);
    this.#waiting.delete(caller);
    resolve?.({ rc, body });
  }
}
