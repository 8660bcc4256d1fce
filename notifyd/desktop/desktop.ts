// SPDX-License-Identifier: MIT OR Apache-2.0
// Shows asks on the desktop, besides `mix notify`. An ask is open whether it is shown or not.
import type { NotifyArguments, NotifyAsk } from "../../agentd/vocabulary/index.ts";

export interface Desktop {
  /** Shows the ask as soon as there is a notification service and a place on the screen. */
  show(ask: NotifyAsk): void;
  /** Removes the ask from the screen. */
  withdraw(ask: string): void;
  /** Shows a notification sent by `from`. Returns false if nobody would see it. */
  tell(told: NotifyArguments<"tell">, from: string): boolean;
  readonly state: { readonly there: boolean; readonly why: string };
  /** Removes all notifications and ends their processes. */
  close(): Promise<void>;
}
