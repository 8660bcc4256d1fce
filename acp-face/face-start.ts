// SPDX-License-Identifier: MIT OR Apache-2.0
// The start of the face: all that the answer to initialize takes, since an editor shows nothing before it. The rest is
// loaded by one import() when initialize is answered or another method is called, whichever is first.
import type { AgentBus } from "../agent-client/requests/ask.ts";
import type { Clock } from "../bus-client/index.ts";
import type { AdvertisedMethods, AgentOffer } from "./agent-side/agent.ts";
import type { AgentMethods } from "./agent-side/agent-methods.ts";
import type { Client } from "./agent-side/client.ts";
import type { Connection } from "./agent-side/connection.ts";
import { serveAgent, type ServeOptions } from "./agent-side/serve-agent.ts";
import type { StartedAgent } from "./agent-side/started-agent.ts";
import { Gateway } from "./gateway.ts";
import { KnownAgents } from "./known-agents.ts";
import { faceOffer } from "./offer.ts";

export interface FaceOptions {
  /** Connects to agentd as a citizen, and starts it where that is wanted. */
  readonly connect: () => Promise<AgentBus>;
  readonly clock: Clock;
  readonly newCommandId: () => string;
  /** The agent of new sessions. */
  readonly agent: string | undefined;
  /** Whether a running turn goes on when the editor is gone. */
  readonly keepsRunning: boolean;
  readonly version: string;
  /** Receives words for whoever looks for a fault. */
  readonly diagnose: (text: string) => void;
}

/** Serves an editor on two streams. */
export function startFace(options: FaceOptions & Pick<ServeOptions, "input" | "output">): Connection {
  const { input, output, diagnose } = options;
  return serveAgent({ input, output, diagnose, start: (client) => new FaceStart(client, options) });
}

/** How long initialize waits for agentd. An editor expects the answer within 2 s of the program's start. */
const connectedMsMax = 1_200;

export class FaceStart implements StartedAgent {
  readonly client: Client;
  readonly options: FaceOptions;
  readonly gateway: Gateway;
  readonly agents: KnownAgents;
  readonly advertised: AdvertisedMethods = {
    loadSession: true,
    resumeSession: true,
    listSessions: true,
    closeSession: true,
    deleteSession: true,
    logout: true,
  };

  constructor(client: Client, options: FaceOptions) {
    this.client = client;
    this.options = options;
    this.gateway = new Gateway(options);
    this.agents = new KnownAgents(this.gateway, options.agent);
    // Connects while the editor is still at its first request.
    this.gateway.bus().catch(() => {});
  }

  async initialize(): Promise<AgentOffer> {
    const { clock, version } = this.options;
    let cancel = (): void => {};
    const late = new Promise<undefined>((resolve) => {
      cancel = clock.after(connectedMsMax, () => resolve(undefined));
    });
    const catalogue = await Promise.race([this.agents.read().catch(() => undefined), late]);
    cancel();
    const agent = this.agents.defaultOf(catalogue);
    return faceOffer({ version, client: this.client.capabilities, catalogue, agent });
  }

  async load(): Promise<AgentMethods> {
    return (await import("./face.ts")).faceMethods(this);
  }
}
