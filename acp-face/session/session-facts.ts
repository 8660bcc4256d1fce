// SPDX-License-Identifier: MIT OR Apache-2.0
import { type Entry, isEnded, type SessionOption, type SessionPhase } from "../../agentd/vocabulary/entries.ts";
import type { ErrorBody } from "../../agentd/vocabulary/errors.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import type { Clock } from "../../bus-client/index.ts";

/** What the face must know of a session: a fold over a snapshot and the entries after it. */
export class SessionFacts {
  state: SessionPhase = "starting";
  error: ErrorBody | undefined;
  options: readonly SessionOption[] = [];
  agentSessionId: string | undefined;
  running: number | undefined;
  hasPrompts = false;
  /** What came up to this entry is known. */
  #seq = 0;
  readonly #waits = new Set<() => void>();

  /** Neither ended nor about to. */
  get isLive(): boolean {
    return !this.isEnded && this.state !== "closing";
  }

  get isEnded(): boolean {
    return isEnded(this.state);
  }

  /** A snapshot can be ahead of the entries. */
  adopt({ last_seq: seq, state, error, options, agent_session_id, running, turns }: SessionSnapshot): void {
    if (seq < this.#seq) return;
    this.#seq = seq;
    this.state = state;
    this.error = error;
    this.options = options;
    this.agentSessionId = agent_session_id ?? undefined;
    this.running = running?.turn;
    this.hasPrompts = turns > 0;
    this.#changed();
  }

  apply(entry: Entry): void {
    if (entry.seq <= this.#seq) return;
    this.#seq = entry.seq;
    this.#fold(entry);
    this.#changed();
  }

  /** Resolves when it holds, or after the time. */
  async until(
    holds: () => boolean,
    { after, ms }: { readonly after: Clock["after"]; readonly ms: number },
  ): Promise<void> {
    let cancel = (): void => {};
    let check = (): void => {};
    await new Promise<void>((resolve) => {
      check = () => holds() && resolve();
      cancel = after(ms, resolve);
      this.#waits.add(check);
      check();
    });
    cancel();
    this.#waits.delete(check);
  }

  #changed(): void {
    for (const check of Array.from(this.#waits)) check();
  }

  #fold(entry: Entry): void {
    if (entry.kind === "options") this.options = entry.options;
    if (entry.kind === "state") {
      this.state = entry.state;
      this.error = entry.error;
      this.agentSessionId = entry.agent_session_id ?? this.agentSessionId;
    }
    if (entry.kind !== "turn") return;
    this.hasPrompts = true;
    if (entry.phase === "started") this.running = entry.turn;
    if (entry.phase === "ended" && this.running === entry.turn) this.running = undefined;
  }
}
