// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows a session's log. Entries are held back while the editor does not know the session yet, or a replay is written.
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import type { Position } from "../../agent-client/entries/follow.ts";
import type { Clock } from "../../bus-client/index.ts";
import { approximateLength } from "../../json/approximate-length.ts";
import type { Gateway } from "../gateway.ts";

export interface FeedOptions {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly session: string;
  /** Called at once for each entry, in order. */
  readonly note: (entry: Entry) => void;
  /** Called for each entry in order, when it is not held back. Resolves when the editor reads fast enough for more. */
  readonly show: (entry: Entry) => Promise<void>;
  /** agentd has been away for long, or the log cannot be followed further. */
  readonly lost: (error: unknown) => void;
  readonly unreachable: () => void;
}

/** With so many held back, or so many UTF-16 units of them, no more are read. */
const heldMax = 1_024;
const heldUnitsMax = 16 * 1024 * 1024;
/** How long agentd may be away before open prompts are answered. */
const awayMsMax = 60_000;

export class SessionFeed {
  readonly #options: FeedOptions;
  #position: Position | undefined;
  readonly #stop = new AbortController();
  #isRunning = false;
  #held: Entry[] | undefined = [];
  #heldUnits = 0;
  #makeRoom = (): void => {};
  /** The entries are shown one after the other. */
  #showing: Promise<void> = Promise.resolve();
  /** `seq` of the last entry that was shown. */
  shown = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Follows from after this entry on; without one, from where it ended. Entries are held back until `release`. */
  start(after?: number): void {
    if (after !== undefined) {
      this.#position = { log: undefined, seq: after };
      this.shown = after;
    }
    if (this.#isRunning || this.#stop.signal.aborted) return;
    this.#isRunning = true;
    void this.#run(this.#stop.signal);
  }

  /** For good. What is held back is dropped. */
  stop(): void {
    this.#stop.abort();
    this.#held = [];
    this.#makeRoom();
  }

  /** Holds back what comes from now on. Resolves when what came before is written. */
  async hold(): Promise<void> {
    this.#held ??= [];
    await this.#showing;
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#heldUnits = 0;
    this.#makeRoom();
    for (const entry of held) void this.#show(entry);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { gateway, clock, session, note, lost, unreachable } = this.#options;
    const position = (this.#position ??= { log: undefined, seq: 0 });
    let cancel = (): void => {};
    const onReachableChange = (reachable: boolean): void => {
      cancel();
      if (!reachable) cancel = clock.after(awayMsMax, unreachable);
    };
    try {
      for await (const entry of gateway.entries(session, position, { signal, onReachableChange })) {
        note(entry);
        await this.#take(entry);
      }
    } catch (error) {
      if (!signal.aborted) lost(error);
    } finally {
      cancel();
      this.#isRunning = false;
    }
  }

  async #take(entry: Entry): Promise<void> {
    if (this.#held === undefined) return this.#show(entry);
    this.#held.push(entry);
    this.#heldUnits += approximateLength(entry, heldUnitsMax);
    if (this.#held.length < heldMax && this.#heldUnits < heldUnitsMax) return;
    await new Promise<void>((resolve) => (this.#makeRoom = resolve));
  }

  #show(entry: Entry): Promise<void> {
    const { show, lost } = this.#options;
    this.#showing = this.#showing.then(() => show(entry)).catch(lost);
    return this.#showing.then(() => void (this.shown = entry.seq));
  }
}
