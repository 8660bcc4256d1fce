// SPDX-License-Identifier: MIT OR Apache-2.0
// Shows notifications with notify-send: one process for each, which waits and prints the button that was pressed.
import type { NotifyArguments, NotifyAsk } from "../../agentd/vocabulary/index.ts";
import type { Presenter, PresenterHost, PresenterState } from "../presenter.ts";
import { fairShare } from "./fair-share.ts";
import { firstLine, type Helper, type HelperEnd, startHelper } from "./helper.ts";
import { OwnerWatch } from "./owner-watch.ts";
import { type ProbeResult, probe } from "./probe.ts";
import { askText, buttonsOf, tellText, type NotificationText } from "./notification-text.ts";

export class NotifySend implements Presenter {
  readonly name = "desktop";
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #host: PresenterHost;
  #probed: ProbeResult = { there: false, why: "not checked yet" };
  /** The earliest time of the next probe; undefined while one runs. */
  #probeAt: number | undefined = 0;
  #cancelProbe: (() => void) | undefined;
  readonly #watch: OwnerWatch;
  /** The service's name on the session's D-Bus. Null: there is none. Undefined: not known. */
  #owner: string | null | undefined;
  #ownerChanges: number[] = [];
  /** Ordered by when they were asked. */
  readonly #asks = new Map<string, AskNotification>();
  readonly #helpers = new Set<Helper>();
  #tells: number[] = [];
  #closed = false;

  constructor(environment: Readonly<Record<string, string | undefined>>, host: PresenterHost) {
    this.#environment = environment;
    this.#host = host;
    this.#watch = new OwnerWatch({ ...host, environment, onOwner: (owner) => this.#onOwner(owner) });
    void this.#probe();
  }

  get state(): PresenterState {
    return this.#probed.there
      ? { there: true, why: this.#probed.buttons ? "with buttons" : "without buttons: answer with mix notify" }
      : this.#probed;
  }

  present(ask: NotifyAsk): void {
    if (this.#closed || this.#asks.has(ask.ask)) return;
    this.#asks.set(ask.ask, { ask, helper: undefined, isLeaving: false, isSent: false });
    this.#updateScreen();
  }

  update({ ask }: NotifyAsk): void {
    const shown = this.#asks.get(ask);
    this.#asks.delete(ask);
    shown?.helper?.end(this.#host.limits.killAfterMs);
  }

  tell(told: NotifyArguments<"tell">, from: string): boolean {
    const { tellsMax, tellIntervalMs } = this.#host.limits;
    const now = this.#host.clock.now();
    this.#tells = this.#tells.filter((at) => Math.abs(now - at) < tellIntervalMs * tellsMax);
    if (this.#closed || !this.#probed.there || this.#tells.length >= tellsMax) return false;
    this.#tells.push(now);
    this.#sendOnce(this.#probed, ["--urgency", told.urgency], tellText(told, from, this.#probed));
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelProbe?.();
    this.#asks.clear();
    for (const helper of this.#helpers) helper.end(this.#host.limits.killAfterMs);
    await Promise.all([this.#watch.close(), ...Array.from(this.#helpers, ({ ended }) => ended)]);
  }

  /** Shows the asks that `fairShare` gives a place on the screen, and closes the others. */
  #updateScreen(): void {
    const found = this.#probed;
    const candidates = Array.from(this.#asks.values(), (one) => ({ one, ask: one.ask, isShown: isShown(one) }));
    if (this.#closed || candidates.every(({ isShown: already }) => already)) return;
    if (!found.there) {
      this.#probeLater();
      return;
    }
    if (!found.buttons) {
      this.#sendAllWithoutButtons(found);
      return;
    }
    const { shownMax, killAfterMs } = this.#host.limits;
    const shared = new Set(Array.from(fairShare(candidates, shownMax), ({ one }) => one));
    const leaving = candidates.filter(({ one, isShown: already }) => already && !shared.has(one));
    for (const { one } of leaving) {
      one.isLeaving = true;
      one.helper?.end(killAfterMs);
    }
    // A notification that is closing keeps its place until its process has ended.
    const waiting = [...shared].filter(({ helper }) => helper === undefined);
    const room = shownMax - candidates.filter(({ one }) => one.helper !== undefined).length;
    for (const one of waiting.slice(0, Math.max(room, 0))) this.#startAsk(found, one);
  }

  /** Without buttons notify-send ends at once, so there is no process that could close the notification later. */
  #sendAllWithoutButtons(found: ProbeResult & { there: true }): void {
    for (const one of this.#asks.values()) {
      if (isShown(one)) continue;
      one.isSent = true;
      this.#sendOnce(found, [], askText(one.ask, found));
    }
  }

  #startAsk(found: ProbeResult & { there: true }, one: AskNotification): void {
    const { ask } = one;
    const actions = buttonsOf(ask, found).flatMap(({ action, label }) => ["--action", `${action}=${label}`]);
    const helper = this.#start(found, ["--expire-time", "0", ...actions], askText(ask, found));
    one.helper = helper;
    void helper.ended.then((end) => {
      if (this.#closed) return;
      // An ask that was withdrawn meanwhile is not in the map, and its notification no longer matters.
      if (this.#asks.get(ask.ask) === one) this.#onHelperEnded(one, end);
      this.#updateScreen();
    });
  }

  /** Takes a choice even from a notification that is closing: a person may press the button at that moment. */
  #onHelperEnded(one: AskNotification, end: HelperEnd): void {
    const { ask, isLeaving } = one;
    const chosen = findOption(ask, end);
    one.helper = undefined;
    one.isLeaving = false;
    if (chosen === undefined && isLeaving) return;
    if (chosen === undefined && end.code !== 0) return this.#onServiceLost(end);
    this.#asks.delete(ask.ask);
    // Closing a notification does not answer the ask.
    if (chosen !== undefined) this.#host.answer(ask.ask, chosen);
  }

  /** Shows a notification without buttons. notify-send does not wait then, so it is killed after `sendTimeoutMs`. */
  #sendOnce(found: ProbeResult & { there: true }, args: readonly string[], text: NotificationText): void {
    const helper = this.#start(found, args, text);
    const deadline = setTimeout(() => helper.end(0), this.#host.limits.sendTimeoutMs);
    void helper.ended.then(() => clearTimeout(deadline));
  }

  #start(found: ProbeResult & { there: true }, args: readonly string[], { summary, body }: NotificationText): Helper {
    // notify-send interprets backslash escapes in the body: `\074` would become the `<` that was escaped before.
    const text = [summary, body.replaceAll("\\", "\\\\")];
    const [file, ...rest] = [...found.commandPrefix, found.notifySend, "--app-name", "agentd", ...args, "--", ...text];
    const helper = startHelper(file ?? found.notifySend, rest, this.#helperOptions());
    this.#helpers.add(helper);
    void helper.ended.then(() => this.#helpers.delete(helper));
    return helper;
  }

  /** notify-send failed: the service went away, or this version has no buttons. Probes again after `probeRetryMs`. */
  #onServiceLost({ code, stderr }: HelperEnd): void {
    this.#setProbeResult({ there: false, why: `notify-send ended with ${code ?? "a signal"}: ${firstLine(stderr)}` });
    this.#probeAt = this.#host.clock.now() + this.#host.limits.probeRetryMs;
  }

  /** With its owner everything that a service shows is gone, but notify-send does not notice and would wait forever. */
  #onOwner(owner: string | null): void {
    const before = this.#owner;
    this.#owner = owner;
    if (owner === before) return;
    if (before !== undefined || owner === null) this.#forgetScreen();
    const isProbing = this.#probeAt === undefined;
    if (isProbing || this.#probed.there) return;
    if (owner !== null || this.#asks.size > 0) this.#probeSoon();
    else this.#probeAt = 0;
  }

  #forgetScreen(): void {
    if (this.#probed.there) this.#setProbeResult({ there: false, why: "the notification service has ended" });
    for (const one of this.#asks.values()) {
      one.isSent = false;
      one.isLeaving = one.helper !== undefined;
      one.helper?.kill();
    }
  }

  /** Probes at once, except while the service comes and goes all the time. */
  #probeSoon(): void {
    const { clock, limits } = this.#host;
    const now = clock.now();
    this.#ownerChanges = [...this.#ownerChanges, now].filter((at) => Math.abs(now - at) < limits.probeRetryMs);
    this.#probeAt = now + (this.#ownerChanges.length > limits.ownerChangesMax ? limits.probeRetryMs : 0);
    this.#cancelProbe?.();
    this.#cancelProbe = undefined;
    this.#probeLater();
  }

  #probeLater(): void {
    if (this.#probeAt === undefined || this.#cancelProbe !== undefined) return;
    const ms = Math.min(Math.max(this.#probeAt - this.#host.clock.now(), 0), this.#host.limits.probeRetryMs);
    this.#cancelProbe = this.#host.clock.after(ms, () => {
      this.#cancelProbe = undefined;
      void this.#probe();
    });
  }

  async #probe(): Promise<void> {
    this.#probeAt = undefined;
    const { clock, limits } = this.#host;
    const owner = this.#owner;
    const found = await probe({ ...this.#helperOptions(), probeTimeoutMs: limits.probeTimeoutMs });
    this.#probeAt = clock.now() + limits.probeRetryMs;
    if (this.#closed) return;
    const isOfBefore = owner !== this.#owner && (owner !== undefined || (!found.there && this.#owner !== null));
    if (isOfBefore) return this.#probeSoon();
    this.#setProbeResult(found);
    // Where the watch says that there is no service, it will also say when there is one.
    const isWatched = this.#owner === null && this.#watch.isOn;
    if (found.there || !isWatched) this.#updateScreen();
  }

  #setProbeResult(found: ProbeResult): void {
    const changed = JSON.stringify(found) !== JSON.stringify(this.#probed);
    this.#probed = found;
    if (!changed) return;
    const { logger } = this.#host;
    if (found.there) logger.info({ buttons: found.buttons }, "questions are shown on the desktop");
    else logger.info(`questions are not shown on the desktop: ${found.why}`);
  }

  #helperOptions() {
    return { environment: this.#environment, outputBytesMax: this.#host.limits.outputBytesMax };
  }
}

interface AskNotification {
  readonly ask: NotifyAsk;
  /** Undefined while the ask waits for a place on the screen. */
  helper: Helper | undefined;
  /** True while it closes to make room for another, or since the service has ended; it is shown again when it can be. */
  isLeaving: boolean;
  /** True once it was sent to a service without buttons, where no process waits for it. */
  isSent: boolean;
}

function isShown({ helper, isLeaving, isSent }: AskNotification): boolean {
  return isSent || (helper !== undefined && !isLeaving);
}

function findOption(ask: NotifyAsk, { code, stdout }: HelperEnd): string | undefined {
  const index = code === 0 ? /^o(\d{1,3})$/u.exec(stdout.trim())?.[1] : undefined;
  return index === undefined ? undefined : ask.options[Number(index)]?.option;
}
