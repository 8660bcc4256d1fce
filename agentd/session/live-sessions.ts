// SPDX-License-Identifier: MIT OR Apache-2.0
// The committed state of every live session. Some ended ones are cached, because their state tells more than the log's
// row.
import { isLive, type SessionState } from "./core/state.ts";

const endedMax = 128;

export class LiveSessions {
  readonly #states = new Map<string, SessionState>();
  readonly #ended = new Set<string>();
  readonly #listeners = new Set<(state: SessionState) => void>();
  readonly #fromLog: (session: string) => SessionState | undefined;

  constructor(fromLog: (session: string) => SessionState | undefined) {
    this.#fromLog = fromLog;
  }

  get(session: string): SessionState | undefined {
    return this.#states.get(session) ?? this.#fromLog(session);
  }

  put(state: SessionState): void {
    this.#states.set(state.id, state);
    if (isLive(state)) {
      this.#ended.delete(state.id);
      return;
    }
    this.#ended.add(state.id);
    if (this.#ended.size <= endedMax) return;
    const [oldest] = this.#ended;
    if (oldest === undefined) return;
    this.#ended.delete(oldest);
    this.#states.delete(oldest);
  }

  all(): Iterable<SessionState> {
    return this.#states.values();
  }

  live(): SessionState[] {
    return [...this.#states.values()].filter(isLive);
  }

  /** Calls the listener for each session that a commit changed. Returns a function that removes it. */
  onChange(listener: (state: SessionState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notifyListeners(sessions: Iterable<string>): void {
    if (this.#listeners.size === 0) return;
    for (const session of sessions) {
      const state = this.#states.get(session);
      if (state) for (const listener of this.#listeners) listener(state);
    }
  }
}
