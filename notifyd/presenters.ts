// SPDX-License-Identifier: MIT OR Apache-2.0
// The presenters that show asks at the moment. They come and go at run time, and none can harm another or an ask.
import type { Logger } from "pino";
import type { NotifyArguments, NotifyAsk } from "../agentd/vocabulary/index.ts";
import type { CreatePresenter, Presenter, PresenterHost, PresenterState } from "./presenter.ts";

export interface PresentersOptions extends Pick<PresenterHost, "clock" | "limits"> {
  readonly logger: Pick<Logger, "info" | "warn" | "error">;
  /** Called with an option that the open ask offers, and the name of the presenter. */
  readonly onAnswer: (ask: string, option: string, via: string) => void;
}

export class Presenters {
  readonly #options: PresentersOptions;
  readonly #presenters = new Set<Presenter>();
  /** In the order in which they were asked. */
  readonly #open = new Map<string, NotifyAsk>();

  constructor(options: PresentersOptions) {
    this.#options = options;
  }

  /** Adds a presenter, which is given all open asks. Returns how to remove it. Throws the error of `create`. */
  add(create: CreatePresenter): () => Promise<void> {
    const { clock, limits, logger } = this.#options;
    const presenter: Presenter = create({
      clock,
      limits,
      logger,
      answer: (ask, option) => this.#answer(presenter, ask, option),
    });
    this.#presenters.add(presenter);
    for (const ask of this.#open.values()) void this.#attempt(presenter, () => presenter.present(ask));
    return () => this.#remove(presenter);
  }

  present(ask: NotifyAsk): void {
    this.#open.set(ask.ask, ask);
    for (const presenter of this.#presenters) {
      // A presenter may have answered it at once.
      if (this.#open.has(ask.ask)) void this.#attempt(presenter, () => presenter.present(ask));
    }
  }

  update(ask: NotifyAsk): void {
    this.#open.delete(ask.ask);
    for (const presenter of this.#presenters) void this.#attempt(presenter, () => presenter.update(ask));
  }

  /** Returns whether any presenter shows it. `via` names the only one to use. */
  tell(told: NotifyArguments<"tell">, from: string, via?: string): boolean {
    const used = [...this.#presenters].filter(({ name }) => via === undefined || name === via);
    return used.filter((presenter) => this.#attempt(presenter, () => presenter.tell(told, from)) === true).length > 0;
  }

  states(): Readonly<Record<string, PresenterState>> {
    const failed = { there: false, why: "its state cannot be read" };
    const entries = Array.from(this.#presenters, (presenter) => {
      return [presenter.name, this.#attempt(presenter, () => presenter.state) ?? failed] as const;
    });
    return Object.fromEntries(entries);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#presenters, (presenter) => this.#remove(presenter)));
  }

  /** Closes it, and waits for that no longer than `presenterCloseMs`. */
  async #remove(presenter: Presenter): Promise<void> {
    if (!this.#presenters.delete(presenter)) return;
    const { clock, limits } = this.#options;
    let cancel = (): void => {};
    const timeout = new Promise<void>((resolve) => (cancel = clock.after(limits.presenterCloseMs, resolve)));
    await Promise.race([this.#attempt(presenter, () => presenter.close()), timeout]);
    cancel();
  }

  #answer(presenter: Presenter, id: string, option: string): void {
    const ask = this.#open.get(id);
    const isOffered = ask?.options.some((one) => one.option === option) === true;
    if (!isOffered || !this.#presenters.has(presenter)) {
      this.#options.logger.warn({ presenter: presenter.name }, "an answer to no open ask, or not offered, is ignored");
      return;
    }
    this.#options.onAnswer(id, option, presenter.name);
  }

  #attempt<T>(presenter: Presenter, act: () => T): T | undefined {
    const failed = (error: unknown): void => {
      this.#options.logger.error({ err: error, presenter: presenter.name }, "a presenter failed");
    };
    try {
      const result = act();
      return result instanceof Promise ? (result.catch(failed) as T) : result;
    } catch (error) {
      failed(error);
      return undefined;
    }
  }
}
