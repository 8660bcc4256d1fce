// SPDX-License-Identifier: MIT OR Apache-2.0
// What the verbs act upon: one agentd, composed.
import type { BusToolsServer } from "../bus-tools.ts";
import type { Pace } from "../client-side/pace.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Limits } from "../config/limits.ts";
import type { Settings } from "../config/settings.ts";
import type { Reserved } from "../instance/reserved.ts";
import type { AsUser } from "../instance/user-umask.ts";
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
  /** As the configuration file has them now. */
  readonly settings: () => Settings;
  readonly catalogue: () => Catalogue;
  /** The file of the settings; it need not be there. */
  readonly configFile: string;
  readonly home: string;
  readonly workspacesDirectory: string;
  readonly reserved: Reserved;
  readonly environmentDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The MCP server that leads agents to the Bus: its program, and where the Bus is. */
  readonly busTools: () => Pick<BusToolsServer, "nodeProgram" | "mcpProgram" | "busUrl">;
  readonly uid: number;
  readonly asUser: AsUser;
  /** Of what agents have done that holds the event loop up. */
  readonly pace: Pace;
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
  /** The daemon is on its way down: nothing new is begun. */
  readonly stopping: () => boolean;
  readonly newSessionId: () => string;
  readonly status: () => Omit<StatusReply, "log" | "limits" | "sessions">;
}
