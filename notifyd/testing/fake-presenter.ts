// SPDX-License-Identifier: MIT OR Apache-2.0
// A presenter for tests, which shows asks to the test, and can fail in every way.
import { Inbox } from "../../bus-client/testing/inbox.ts";
import type { NotifyArguments, NotifyAsk } from "../../agentd/vocabulary/index.ts";
import type { Presenter, PresenterHost, PresenterState } from "../presenter.ts";

/** An ask, or a notification of `tell`, as a person sees it. */
export interface ShownAsk {
  readonly text: string;
  readonly choices: readonly string[];
  choose(index: number): void;
  /** Resolves when it can no longer be answered there. */
  readonly over: Promise<unknown>;
}

export class FakePresenter implements Presenter {
  readonly name: string;
  readonly host: PresenterHost;
  readonly shown = new Inbox<ShownAsk>();
  readonly updates: NotifyAsk[] = [];
  readonly told: string[] = [];
  fault: "throws" | "rejects" | "hangs" | undefined;
  readonly #over = new Map<string, () => void>();

  constructor(host: PresenterHost, name = "fake") {
    this.host = host;
    this.name = name;
  }

  get state(): PresenterState {
    this.#failAtOnce();
    return { there: true, why: "it is fake" };
  }

  present(ask: NotifyAsk): void | Promise<void> {
    this.#failAtOnce();
    if (this.#over.has(ask.ask)) return;
    const offered = ask.options.filter(({ kind }) => !ask.incomplete || kind.startsWith("reject"));
    const over = new Promise<void>((resolve) => this.#over.set(ask.ask, resolve));
    this.shown.push({
      text: [ask.title, ask.body, ask.source].join("\n"),
      choices: offered.map(({ label }) => label),
      choose: (index) => this.host.answer(ask.ask, offered[index]?.option ?? ""),
      over,
    });
    return this.#settled();
  }

  update(ask: NotifyAsk): void | Promise<void> {
    this.#failAtOnce();
    this.updates.push(ask);
    this.#over.get(ask.ask)?.();
    return this.#settled();
  }

  tell(told: NotifyArguments<"tell">, from: string): boolean {
    this.#failAtOnce();
    this.told.push(told.title);
    const text = [told.title, told.body, from].join("\n");
    this.shown.push({ text, choices: [], choose: () => {}, over: new Promise(() => {}) });
    return true;
  }

  close(): void | Promise<void> {
    this.#failAtOnce();
    for (const over of this.#over.values()) over();
    return this.#settled();
  }

  #failAtOnce(): void {
    if (this.fault === "throws") throw new Error("it throws");
  }

  #settled(): Promise<void> {
    if (this.fault === "hangs") return new Promise(() => {});
    return this.fault === "rejects" ? Promise.reject(new Error("it rejects")) : Promise.resolve();
  }
}
