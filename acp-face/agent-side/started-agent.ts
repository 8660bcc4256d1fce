// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AdvertisedMethods, Agent, AgentOffer, InitializeRequest } from "./agent.ts";
import { AgentMethods } from "./agent-methods.ts";

/** An agent as a program starts it, which need not have loaded more than initialize takes. */
export interface StartedAgent {
  readonly advertised: AdvertisedMethods;
  /** May be called again. */
  initialize(request: InitializeRequest): Promise<AgentOffer> | AgentOffer;
  /** Called once: after initialize was answered, or when another method waits for it. */
  load(): Promise<AgentMethods>;
}

/** An agent that is loaded whole. */
export function started(agent: Agent & Pick<StartedAgent, "initialize">): StartedAgent {
  return {
    advertised: agent,
    initialize: (request) => agent.initialize(request),
    load: async () => new AgentMethods(agent),
  };
}
