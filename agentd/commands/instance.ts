// SPDX-License-Identifier: MIT OR Apache-2.0
// The parts of a running agentd that the verbs use.
import type { BusToolsServer } from "../bus-tools.ts";
import type { EventLoopBudget } from "../client-side/event-loop-budget.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Limits } from "../config/limits.ts";
import type { Settings } from "../config/settings.ts";
import type { Reserved } from "../instance/reserved.ts";
import type { WithUserUmask } from "../instance/user-umask.ts";
import type { LogMaintenance } from "../log-maintenance.ts";
import type { QuotaWatch } from "../quota.ts";
import type { Log } from "../log/open.ts";
import type { LiveSessions } from "../session/live-sessions.ts";
import type { Mailbox } from "../session/mailbox/mailbox.ts";
import type { StatusReply } from "../vocabulary/index.ts";
import type { Callers } from "./callers.ts";

export interface Instance {
  readonly log: Log;
  readonly sessions: LiveSessions;
  readonly mailbox: Mailbox;
  readonly callers: Callers;
  readonly maintenance: LogMaintenance;
  readonly quota: QuotaWatch;
  readonly limits: Limits;
  /** Returns the current settings of the configuration file. */
  readonly settings: () => Settings;
  readonly catalogue: () => Catalogue;
  /** Path of the configuration file, which may not exist. */
  readonly configFile: string;
  readonly home: string;
  readonly workspacesDirectory: string;
  readonly reserved: Reserved;
  readonly environmentDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The MCP server that gives agents access to the Bus, and the Bus's URL. */
  readonly busTools: () => Pick<BusToolsServer, "nodeProgram" | "mcpProgram" | "busUrl">;
  readonly uid: number;
  readonly withUserUmask: WithUserUmask;
  /** Limits how long agents' file requests block the event loop. */
  readonly eventLoopBudget: EventLoopBudget;
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
  /** True while the daemon shuts down, and starts nothing new. */
  readonly stopping: () => boolean;
  readonly newSessionId: () => string;
  readonly status: () => Omit<StatusReply, "log" | "limits" | "sessions">;
}
