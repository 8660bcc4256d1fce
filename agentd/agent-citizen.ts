// SPDX-License-Identifier: MIT OR Apache-2.0
// The citizen `agent` on the Bus, with its verbs.
import type { Logger } from "pino";
import { type BusClient, type Citizen, refused, serveCitizen } from "../bus-client/index.ts";
import { busVerbs, waitPool } from "./commands/dispatch.ts";
import type { Instance } from "./commands/instance.ts";
import { checkQuit } from "./commands/sender.ts";
import { service } from "./vocabulary/index.ts";

export interface AgentCitizenOptions {
  readonly client: BusClient;
  readonly instance: Instance;
  readonly version: string;
  readonly startedAt: string;
  readonly logger: Logger;
  readonly onQuit: () => Promise<void>;
}

/** Returns a citizen that is not started. */
export function createAgentCitizen(options: AgentCitizenOptions): Citizen {
  const { client, instance, version, startedAt, logger, onQuit } = options;
  const { limits, clock, mailbox, sessions } = instance;
  return serveCitizen({
    client,
    service,
    version,
    description: "Coding agents as sessions: started, watched, steered, answered and stopped from anywhere on the Bus",
    app: "agentd",
    verbs: busVerbs(instance),
    pools: { [waitPool]: { pendingMax: limits.waitsMax } },
    pendingMax: limits.commandsMax,
    props: {
      read: () => ({
        version,
        started_at: startedAt,
        uptime_s: Math.floor((clock.now() - Date.parse(startedAt)) / 1000),
        mode: "serving",
        health: mailbox.failed ? "failing" : "ok",
        generation: client.generation,
        sessions: { live: sessions.live().length },
      }),
    },
    quitDescription: "End every session properly, then agentd; not for agents",
    mayQuit({ from, origin }) {
      const no = checkQuit(instance, { by: from, origin });
      return no === undefined ? true : refused(no.error_code, no.message);
    },
    onQuit,
    onFault: (error, verb) => logger.error({ err: error, verb }, "a verb's handler failed"),
  });
}
