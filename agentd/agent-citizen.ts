// SPDX-License-Identifier: MIT OR Apache-2.0
// The citizen `agent` on the Bus, with its verbs.
import type { Logger } from "pino";
import { type Citizen, type Clock, provenanceOf, refused, serveCitizen } from "../bus-client/index.ts";
import type { Build } from "../files/installed-build.ts";
import type { BusEndpoint } from "./bus-endpoint.ts";
import { busVerbs, waitPool } from "./commands/dispatch.ts";
import type { Instance } from "./commands/instance.ts";
import { checkQuit } from "./commands/sender.ts";
import { service } from "./vocabulary/index.ts";

export interface AgentCitizenOptions {
  readonly endpoint: BusEndpoint;
  readonly instance: () => Instance;
  readonly build: Build;
  readonly startedAt: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pendingMax: number;
  readonly waitsMax: number;
  readonly onQuit: () => Promise<void>;
  readonly onBus: (connected: boolean) => void;
}

/** The longest wait between attempts to reach the Bus: people wait at their command lines for agentd meanwhile. */
const retryMsMax = 5_000;

/** Returns a citizen that is not started. Start it when `instance` is ready. */
export function createAgentCitizen(options: AgentCitizenOptions): Citizen {
  const { endpoint, build, startedAt, clock, logger } = options;
  const { version } = build;
  const citizen: Citizen = serveCitizen({
    client: {
      url: () => endpoint.find(),
      provenance: provenanceOf("agentd", build, startedAt),
      nameTaken: "retry",
      retryMsMax,
      clock,
    },
    service,
    version,
    description: "Coding agents as sessions: started, watched, steered, answered and stopped from anywhere on the Bus",
    app: "agentd",
    verbs: busVerbs(options.instance),
    pools: { [waitPool]: { pendingMax: options.waitsMax } },
    pendingMax: options.pendingMax,
    props: {
      read: () => ({
        version,
        started_at: startedAt,
        uptime_s: Math.floor((clock.now() - Date.parse(startedAt)) / 1000),
        mode: "serving",
        health: options.instance().mailbox.failed ? "failing" : "ok",
        generation: citizen.client.generation,
        sessions: { live: options.instance().sessions.live().length },
      }),
    },
    quitDescription: "End every session properly, then agentd; not for agents",
    mayQuit({ from, origin }) {
      const no = checkQuit(options.instance(), { by: from, origin });
      return no === undefined ? true : refused(no.error_code, no.message);
    },
    onQuit: options.onQuit,
    onFault: (error, verb) => logger.error({ err: error, verb }, "a verb's handler failed"),
  });
  citizen.client.onState((state) => {
    if (state.kind === "connected")
      logger.info({ bus: endpoint.url(), embedded: endpoint.embedded() }, "on the Bus as agent");
    if (state.kind === "disconnected") logger.warn({ err: state.cause, retryInMs: state.retryInMs }, "not on the Bus");
    options.onBus(state.kind === "connected");
  });
  return citizen;
}
