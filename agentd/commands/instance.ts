// SPDX-License-Identifier: MIT OR Apache-2.0
// The parts of a running agentd that verbs use. Each handler names those that it needs.
import type { Clock } from "../../bus-client/index.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { KnownCapabilities } from "../catalogue/known-capabilities.ts";
import type { ProgramPlaces } from "../catalogue/program-places.ts";
import type { PassedValues } from "../catalogue/passed-values.ts";
import type { EnvironmentOf } from "../catalogue/stored-login.ts";
import type { Limits } from "../config/limits.ts";
import type { Settings } from "../config/settings.ts";
import type { DirectoryRules } from "../instance/directories.ts";
import type { Leases } from "../leases/leases.ts";
import type { LogMaintenance } from "../log-maintenance.ts";
import type { Probes } from "../probe/probes.ts";
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
  readonly leases: Pick<Leases, "attach" | "detach">;
  readonly maintenance: LogMaintenance;
  readonly probes: Pick<Probes, "count">;
  readonly quota: QuotaWatch;
  readonly limits: Limits;
  readonly settings: () => Settings;
  readonly catalogue: () => Catalogue;
  readonly capabilities: KnownCapabilities;
  /** Where agents' programs are looked for. */
  readonly places: ProgramPlaces;
  /** Looks up the variables that a start passes on. */
  readonly passedValues: (names: readonly string[]) => PassedValues;
  /** Looks up the variables that all processes of an agent get. */
  readonly agentValues: (agent: string) => PassedValues;
  readonly environmentOf: EnvironmentOf;
  readonly directoryRules: () => DirectoryRules;
  readonly clock: Clock;
  /** True while the daemon shuts down, and starts nothing new. */
  readonly stopping: () => boolean;
  readonly newSessionId: () => string;
  /** Why a changed configuration file was refused, while earlier settings are in force. */
  readonly configProblem: () => string | undefined;
  readonly status: () => Omit<StatusReply, "log" | "limits" | "sessions">;
}
