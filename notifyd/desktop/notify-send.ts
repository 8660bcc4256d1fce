// SPDX-License-Identifier: MIT OR Apache-2.0
// The desktop by way of notify-send: one process a notification, which waits for the button and prints which.
import type { Clock } from "../../bus-client/index.ts";
import type { NotifyArguments, NotifyAsk } from "../../agentd/vocabulary/index.ts";
import type { Limits } from "../limits.ts";
import type { Desktop } from "./desktop.ts";
import { fairShare } from "./fair-share.ts";
import { type Helper, type HelperEnd, startHelper } from "./helper.ts";
import { firstLine, type Found, probe } from "./probe.ts";
import { askWords, buttonsOf, tellWords, type Words } from "./words.ts";

export interface NotifySendOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: Limits;
  readonly clock: Clock;
  /** A person pressed a button. Closing a notification is no answer. */
  readonly onChoice: (ask: string, option: string) => void;
  /** What is there, or not any more; for the log. */
  readonly onState: (found: Found) => void;
}

export class NotifySend implements Desktop {
  readonly #options: NotifySendOptions;
  #found: Found = { there: false, why: "not looked for yet" };
  /** Until when it need not be looked for again; undefined while that is being done. */
  #lookAgainAt: number | undefined = 0;
  #cancelLook: (() => void) | undefined;
  /** In the order in which they were asked. */
  readonly #asks = new Map<string, Shown>();
  readonly #helpers = new Set<Helper>();
  #tells: number[] = [];
  #closed = false;

  constructor(options: NotifySendOptions) {
    this.#options = options;
    void this.#look();
  }

  get state(): { readonly there: boolean; readonly why: string } {
    return this.#found.there
      ? { there: true, why: this.#found.buttons ? "with buttons" : "without buttons: answer with mix notify" }
      : this.#found;
  }

  show(ask: NotifyAsk): void {
    if (this.#closed || this.#asks.has(ask.ask)) return;
    this.#asks.set(ask.ask, { ask, helper: undefined, isLeaving: false });
    this.#share();
  }

  withdraw(ask: string): void {
    const shown = this.#asks.get(ask);
    this.#asks.delete(ask);
    shown?.helper?.end(this.#options.limits.withdrawMs);
  }

  tell(told: NotifyArguments<"tell">, from: string): boolean {
    const { tellsMax, tellEveryMs } = this.#options.limits;
    const now = this.#options.clock.now();
    this.#tells = this.#tells.filter((at) => Math.abs(now - at) < tellEveryMs * tellsMax);
    if (this.#closed || !this.#found.there || this.#tells.length >= tellsMax) return false;
    this.#tells.push(now);
    this.#send(this.#found, ["--urgency", told.urgency], tellWords(told, from, this.#found));
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelLook?.();
    this.#asks.clear();
    for (const helper of this.#helpers) helper.end(this.#options.limits.withdrawMs);
    await Promise.all([...this.#helpers].map(({ ended }) => ended));
  }

  /** Brings up what has its share of the screen, and takes down what has it no more. */
  #share(): void {
    const found = this.#found;
    const candidates = Array.from(this.#asks.values(), (one) => ({ one, ask: one.ask, isShown: isShown(one) }));
    if (this.#closed || candidates.every(({ isShown: already }) => already)) return;
    if (!found.there) {
      this.#lookLater();
      return;
    }
    if (!found.buttons) {
      this.#handOver(found);
      return;
    }
    const { shownMax, withdrawMs } = this.#options.limits;
    const shared = new Set(Array.from(fairShare(candidates, shownMax), ({ one }) => one));
    const leaving = candidates.filter(({ one, isShown: already }) => already && !shared.has(one));
    for (const { one } of leaving) {
      one.isLeaving = true;
      one.helper?.end(withdrawMs);
    }
    // Those that leave have their room until they are gone.
    const waiting = [...shared].filter(({ helper }) => helper === undefined);
    const room = shownMax - candidates.filter(({ one }) => one.helper !== undefined).length;
    for (const one of waiting.slice(0, Math.max(room, 0))) this.#ask(found, one);
  }

  /** Where there are no buttons, nothing stays that could be taken down. */
  #handOver(found: Found & { there: true }): void {
    for (const { ask, helper } of this.#asks.values()) {
      if (helper !== undefined) continue;
      this.#asks.delete(ask.ask);
      this.#send(found, [], askWords(ask, found));
    }
  }

  #ask(found: Found & { there: true }, one: Shown): void {
    const { ask } = one;
    const actions = buttonsOf(ask, found).flatMap(({ action, label }) => ["--action", `${action}=${label}`]);
    const helper = this.#start(found, ["--expire-time", "0", ...actions], askWords(ask, found));
    one.helper = helper;
    void helper.ended.then((end) => {
      if (this.#closed) return;
      // Otherwise it was withdrawn meanwhile, and what became of the notification does not matter.
      if (this.#asks.get(ask.ask) === one) this.#ended(one, end);
      this.#share();
    });
  }

  /** A person may press a button just when it is to make room. */
  #ended(one: Shown, end: HelperEnd): void {
    const { ask, isLeaving } = one;
    const chosen = findOption(ask, end);
    one.helper = undefined;
    one.isLeaving = false;
    if (chosen === undefined && isLeaving) return;
    if (chosen === undefined && end.code !== 0) return this.#lost(end);
    this.#asks.delete(ask.ask);
    if (chosen !== undefined) this.#options.onChoice(ask.ask, chosen);
  }

  /** Waits for nothing, so it must be over soon. */
  #send(found: Found & { there: true }, words: readonly string[], text: Words): void {
    const helper = this.#start(found, words, text);
    const deadline = setTimeout(() => helper.end(0), this.#options.limits.tellMs);
    void helper.ended.then(() => clearTimeout(deadline));
  }

  #start(found: Found & { there: true }, words: readonly string[], { summary, body }: Words): Helper {
    // notify-send reads escapes in the body: `\074` would become the `<` that was taken out of it.
    const text = [summary, body.replaceAll("\\", "\\\\")];
    const [file, ...rest] = [...found.before, found.notifySend, "--app-name", "agentd", ...words, "--", ...text];
    const helper = startHelper(file ?? found.notifySend, rest, this.#helperOptions());
    this.#helpers.add(helper);
    void helper.ended.then(() => this.#helpers.delete(helper));
    return helper;
  }

  /** The service went away, or this notify-send knows no buttons: it is looked for again later. */
  #lost({ code, stderr }: HelperEnd): void {
    this.#become({ there: false, why: `notify-send ended with ${code ?? "a signal"}: ${firstLine(stderr)}` });
    this.#lookAgainAt = this.#options.clock.now() + this.#options.limits.probeAgainMs;
  }

  #lookLater(): void {
    if (this.#lookAgainAt === undefined || this.#cancelLook !== undefined) return;
    const ms = Math.min(Math.max(this.#lookAgainAt - this.#options.clock.now(), 0), this.#options.limits.probeAgainMs);
    this.#cancelLook = this.#options.clock.after(ms, () => {
      this.#cancelLook = undefined;
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#lookAgainAt = undefined;
    const { clock, limits } = this.#options;
    const found = await probe({ ...this.#helperOptions(), probeMs: limits.probeMs });
    this.#lookAgainAt = clock.now() + limits.probeAgainMs;
    if (this.#closed) return;
    this.#become(found);
    this.#share();
  }

  #become(found: Found): void {
    const changed = JSON.stringify(found) !== JSON.stringify(this.#found);
    this.#found = found;
    if (changed) this.#options.onState(found);
  }

  #helperOptions() {
    const { environment, limits } = this.#options;
    return { environment, outputBytesMax: limits.outputBytesMax };
  }
}

interface Shown {
  readonly ask: NotifyAsk;
  /** Undefined: it waits for its share of the screen. */
  helper: Helper | undefined;
  /** It is to make room, and comes up again when there is some. */
  isLeaving: boolean;
}

function isShown({ helper, isLeaving }: Shown): boolean {
  return helper !== undefined && !isLeaving;
}

function findOption(ask: NotifyAsk, { code, stdout }: HelperEnd): string | undefined {
  const index = code === 0 ? /^o(\d{1,3})$/u.exec(stdout.trim())?.[1] : undefined;
  return index === undefined ? undefined : ask.options[Number(index)]?.option;
}
