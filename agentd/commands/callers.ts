// SPDX-License-Identifier: MIT OR Apache-2.0
// Who waits for a reply: a token goes with the command through the mailbox, and the reply finds its way back by it.
import type { Answer } from "../../bus-client/index.ts";
import type { CallerToken } from "../session/core/state.ts";
import type { SentReply } from "../session/mailbox/posted.ts";

export class Callers {
  readonly #waiting = new Map<CallerToken, (answer: Answer) => void>();
  #next = 1;

  /** `post` is given the token; what it returns, if anything, is the answer at once. */
  ask(post: (caller: CallerToken) => SentReply | undefined): Promise<Answer> {
    return new Promise((resolve) => {
      const caller = this.#next;
      this.#next += 1;
      this.#waiting.set(caller, resolve);
      const known = post(caller);
      if (known) this.reply(known);
    });
  }

  /** A second reply to one caller is dropped. */
  reply({ caller, rc, body }: SentReply): void {
    const resolve = this.#waiting.get(caller);
    this.#waiting.delete(caller);
    resolve?.({ rc, body });
  }
}
