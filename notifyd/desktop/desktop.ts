// SPDX-License-Identifier: MIT OR Apache-2.0
// Where questions are shown besides `mix notify`. What it shows is a convenience: an ask is open whether shown or not.
import type { NotifyArguments, NotifyAsk } from "../../agentd/vocabulary/index.ts";

export interface Desktop {
  /** Shows it when there is room and a notification service. */
  show(ask: NotifyAsk): void;
  /** Takes it off the screen. */
  withdraw(ask: string): void;
  /** False: nobody would see it. `from`: whose words they are. */
  tell(told: NotifyArguments<"tell">, from: string): boolean;
  readonly state: { readonly there: boolean; readonly why: string };
  /** Takes everything off the screen; leaves no process. */
  close(): Promise<void>;
}
