// SPDX-License-Identifier: MIT OR Apache-2.0
// Callers that wait for a reply. Each gets a token, which its command carries through the mailbox to the reply.
import type { Answer } from "../../bus-client/index.ts";
import type { CallerToken } from "../session/core/state.ts";
import type { SentReply } from "../session/mailbox/posted-input.ts";

export class Callers {
  readonly #waiting = new Map<CallerToken, (answer: Answer) => void>();
  #next = 1;

  /** Calls `post` with a new token. A reply that `post` returns is the answer; else the answer comes through `reply`. */
  ask(post: (caller: CallerToken) => SentReply | undefined): Promise<Answer> {
    return new Promise((resolve) => {
      const caller = this.#next;
      this.#next += 1;
      this.#waiting.set(caller, resolve);
      const known = post(caller);
      if (known) this.reply(known);
    });
  }

  /** Ignores a second reply to the same caller. */
  reply({ caller, rc, body }: SentReply): void {
    const resolve = this.#waiting.get(caller);
    this.#waiting.delete(caller);
    resolve?.({ rc, body });
  }
}
