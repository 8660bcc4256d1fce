// SPDX-License-Identifier: MIT OR Apache-2.0
// A way to show asks to people, besides `mix notify`. An ask is open whether anybody shows it or not.
import type { Logger } from "pino";
import type { Clock } from "../bus-client/index.ts";
import type { NotifyArguments, NotifyAsk } from "../agentd/vocabulary/index.ts";
import type { Limits } from "./limits.ts";

/**
 * Every method returns at once. What takes longer is done afterwards, at most as the returned promise, which nobody waits
 * for except that of `close`. An error or a rejection is logged and has no other effect.
 */
export interface Presenter {
  /** Stored as the `via` of answers that are given here. */
  readonly name: string;
  /** Whether people can see asks here now, for the service's properties. */
  readonly state: PresenterState;
  /** Shows the open ask as soon as possible. An option that allows something is offered only beside the whole question. */
  present(ask: NotifyAsk): void | Promise<void>;
  /** The ask has ended, here or elsewhere: removes it, or shows how it ended. */
  update(ask: NotifyAsk): void | Promise<void>;
  /** Shows a notification sent by `from`. Returns false if nobody would see it. */
  tell(told: NotifyArguments<"tell">, from: string): boolean;
  /** Removes everything that is shown. The presenter is not used afterwards. */
  close(): void | Promise<void>;
}

export interface PresenterState {
  readonly there: boolean;
  readonly why: string;
}

/** What a presenter gets from notifyd. */
export interface PresenterHost {
  /** A person chose an option. Has no effect if the ask has ended, does not offer it, or the presenter was removed. */
  answer(ask: string, option: string): void;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly logger: Pick<Logger, "info">;
}

export type CreatePresenter = (host: PresenterHost) => Presenter;
