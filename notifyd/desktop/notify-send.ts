// SPDX-License-Identifier: MIT OR Apache-2.0
// The desktop by way of notify-send: one process a notification, which waits for the button and prints which.
import type { Clock } from "../../bus-client/index.ts";
import type { NotifyArguments, NotifyAsk } from "../../agentd/vocabulary/index.ts";
import type { Limits } from "../limits.ts";
import type { Desktop } from "./desktop.ts";
import { type Helper, type HelperEnd, startHelper } from "./helper.ts";
import { firstLine, type Found, probe } from "./probe.ts";
import { askWords, buttonLabel, tellWords } from "./words.ts";

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
  readonly #waiting = new Map<string, NotifyAsk>();
  readonly #shown = new Map<string, Helper>();
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
    if (this.#closed || this.#shown.has(ask.ask)) return;
    this.#waiting.set(ask.ask, ask);
    this.#showWaiting();
  }

  withdraw(ask: string): void {
    this.#waiting.delete(ask);
    const helper = this.#shown.get(ask);
    this.#shown.delete(ask);
    helper?.end(this.#options.limits.withdrawMs);
  }

  tell(told: NotifyArguments<"tell">, from: string): boolean {
    const { tellsMax, tellEveryMs } = this.#options.limits;
    const now = this.#options.clock.now();
    this.#tells = this.#tells.filter((at) => Math.abs(now - at) < tellEveryMs * tellsMax);
    if (this.#closed || !this.#found.there || this.#tells.length >= tellsMax) return false;
    this.#tells.push(now);
    this.#send(this.#found, ["--urgency", told.urgency], tellWords(told, from));
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelLook?.();
    this.#waiting.clear();
    for (const helper of this.#helpers) helper.end(this.#options.limits.withdrawMs);
    await Promise.all([...this.#helpers].map(({ ended }) => ended));
  }

  #showWaiting(): void {
    const found = this.#found;
    if (this.#closed || this.#waiting.size === 0) return;
    if (!found.there) {
      this.#lookLater();
      return;
    }
    for (const ask of this.#waiting.values()) {
      if (this.#shown.size >= this.#options.limits.shownMax) return;
      this.#waiting.delete(ask.ask);
      if (found.buttons) this.#ask(found, ask);
      else this.#send(found, [], askWords(ask, true));
    }
  }

  #ask(found: Found & { there: true }, ask: NotifyAsk): void {
    // An option's own text never becomes a name: it is known by its place.
    const actions = ask.options.flatMap((option, index) => ["--action", `o${index}=${buttonLabel(option)}`]);
    const helper = this.#start(found, ["--expire-time", "0", ...actions], askWords(ask, false));
    this.#shown.set(ask.ask, helper);
    void helper.ended.then((end) => {
      if (this.#closed) return;
      // Otherwise it was withdrawn meanwhile, and what became of the notification does not matter.
      if (this.#shown.get(ask.ask) === helper) {
        this.#shown.delete(ask.ask);
        const chosen = chosenOption(ask, end);
        if (chosen !== undefined) this.#options.onChoice(ask.ask, chosen);
        else if (end.code !== 0) this.#lost(ask, end);
      }
      this.#showWaiting();
    });
  }

  /** Waits for nothing, so it must be over soon. */
  #send(found: Found & { there: true }, words: readonly string[], text: readonly [string, string]): void {
    const helper = this.#start(found, words, text);
    const deadline = setTimeout(() => helper.end(0), this.#options.limits.tellMs);
    void helper.ended.then(() => clearTimeout(deadline));
  }

  #start(found: Found & { there: true }, words: readonly string[], [summary, body]: readonly [string, string]): Helper {
    // notify-send reads escapes in the body: `\074` would become the `<` that was taken out of it.
    const text = [summary, body.replaceAll("\\", "\\\\")];
    const [file, ...rest] = [...found.before, found.notifySend, "--app-name", "agentd", ...words, "--", ...text];
    const helper = startHelper(file ?? found.notifySend, rest, this.#helperOptions());
    this.#helpers.add(helper);
    void helper.ended.then(() => this.#helpers.delete(helper));
    return helper;
  }

  /** The service went away, or this notify-send knows no buttons: it is looked for again later. */
  #lost(ask: NotifyAsk, { code, stderr }: HelperEnd): void {
    this.#waiting.set(ask.ask, ask);
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
    this.#showWaiting();
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

function chosenOption(ask: NotifyAsk, { code, stdout }: HelperEnd): string | undefined {
  const index = code === 0 ? /^o(\d{1,3})$/u.exec(stdout.trim())?.[1] : undefined;
  return index === undefined ? undefined : ask.options[Number(index)]?.option;
}
