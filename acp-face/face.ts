// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd as an ACP agent: what an editor asks becomes commands to agentd over the Bus.
import { RPC } from "../acp-client/jsonrpc/message.ts";
import type { ConfigOption } from "../acp-client/model.ts";
import { isRecord } from "../json/record.ts";
import type {
  Agent,
  ListRequest,
  Meta,
  NewSession,
  OpenedSession,
  Prompt,
  PromptResult,
  RestoredSession,
  SessionPage,
  SessionRequest,
} from "./agent-side/agent.ts";
import type { Clock } from "../bus-client/index.ts";
import type { Client } from "./agent-side/client.ts";
import { AgentMethods } from "./agent-side/agent-methods.ts";
import { RequestError } from "./agent-side/request-error.ts";
import { ClientServices } from "./client-services/client-services.ts";
import { loginMethod, unknownSession, withFaceErrors } from "./face-error.ts";
import type { Gateway } from "./gateway.ts";
import type { KnownAgents } from "./known-agents.ts";
import { Leases } from "./leases.ts";
import { terminalLoginMethod } from "./offer.ts";
import { forgetSession, listPage } from "./session-list.ts";
import type { WantedOption } from "./mapping/options.ts";
import type { FaceSession, FaceSurroundings } from "./session/face-session.ts";
import { reloadSession, restoreSession, startSession } from "./session/open-session.ts";

/** What the face has had since its start. */
export interface FaceParts {
  readonly client: Client;
  readonly gateway: Gateway;
  readonly agents: KnownAgents;
  readonly options: {
    readonly clock: Clock;
    readonly keepsRunning: boolean;
    readonly version: string;
    readonly diagnose: (text: string) => void;
  };
}

/** All of the face but its answer to initialize. */
export function faceMethods(parts: FaceParts): AgentMethods {
  return new AgentMethods(new Face(parts));
}

class Face implements Agent {
  readonly #agents: KnownAgents;
  readonly #around: FaceSurroundings;
  readonly #sessions = new Map<string, FaceSession>();
  /** Sessions that are being loaded or resumed. */
  readonly #restoring = new Map<string, Promise<unknown>>();
  /** Aborted when the editor is gone. */
  readonly #gone = new AbortController();

  constructor({ client, gateway, agents, options }: FaceParts) {
    const { clock, keepsRunning, version, diagnose } = options;
    this.#agents = agents;
    const leases = new Leases({ gateway, client, keepsRunning, diagnose });
    const services = new ClientServices({ client, holds: (session) => leases.holds(session), clock });
    this.#around = { client, gateway, leases, services, clock, keepsRunning, diagnose };
    gateway.onConnection({
      onConnected: (bus) => void services.serveOn({ bus, version, onFault: (_, verb) => diagnose(`${verb} failed`) }),
      onReconnected: () => {
        for (const session of this.#sessions.values()) session.reattach();
      },
    });
  }

  async authenticate({ methodId }: { readonly methodId: string }): Promise<void> {
    if (methodId === loginMethod || methodId === terminalLoginMethod) return;
    throw new RequestError(RPC.invalidParams, "unknown auth method", { methodId });
  }

  async logout(): Promise<void> {}

  newSession(request: NewSession, signal: AbortSignal): Promise<OpenedSession & { readonly sessionId: string }> {
    return withFaceErrors(async () => {
      const agent = agentIn(request.meta) ?? (await this.#agents.default());
      if (agent === undefined)
        throw new RequestError(RPC.internalError, "there is no agent", { kind: "agent_unknown" });
      const session = await startSession(this.#around, agent, request, AbortSignal.any([signal, this.#gone.signal]));
      await this.#keep(session);
      return { sessionId: session.id, ...session.opened() };
    });
  }

  loadSession(request: RestoredSession): Promise<OpenedSession> {
    return withFaceErrors(() => this.#restore(request, true));
  }

  resumeSession(request: RestoredSession): Promise<OpenedSession> {
    return withFaceErrors(() => this.#restore(request, false));
  }

  listSessions({ cwd, cursor, meta }: ListRequest): Promise<SessionPage> {
    const agent = agentIn(meta) ?? this.#agents.knownDefault();
    const filter = { cwd, cursor, agent: agent === "*" ? undefined : agent };
    return withFaceErrors(() => listPage(this.#around.gateway, filter));
  }

  async closeSession({ sessionId }: SessionRequest): Promise<void> {
    const session = this.#session(sessionId);
    this.#sessions.delete(sessionId);
    await withFaceErrors(() => session.close());
  }

  /** A session that is not there is deleted already. */
  async deleteSession({ sessionId }: SessionRequest): Promise<void> {
    if (this.#sessions.has(sessionId)) throw new RequestError(RPC.invalidParams, "cannot delete active session");
    await withFaceErrors(() => forgetSession(this.#around.gateway, sessionId));
  }

  prompt(prompt: Prompt, signal: AbortSignal): Promise<PromptResult> {
    const session = this.#session(prompt.sessionId);
    return withFaceErrors(() => session.prompt(prompt, signal));
  }

  cancelled({ sessionId }: SessionRequest): void {
    if (!this.#sessions.has(sessionId)) this.#around.diagnose("session/cancel of an unknown session");
  }

  async setMode({ sessionId, modeId }: SessionRequest & { readonly modeId: string }): Promise<void> {
    await this.#set(sessionId, { mode: modeId });
  }

  async setModel({ sessionId, modelId }: SessionRequest & { readonly modelId: string }): Promise<void> {
    await this.#set(sessionId, { model: modelId });
  }

  setOption(
    request: SessionRequest & { readonly configId: string; readonly value: unknown },
  ): Promise<readonly ConfigOption[]> {
    const { sessionId, configId, value } = request;
    return this.#set(sessionId, { configId, value });
  }

  async ended(): Promise<void> {
    this.#gone.abort(new RequestError(RPC.requestCancelled, "The editor is gone"));
    await Promise.all(Array.from(this.#sessions.values(), (session) => session.end().catch(() => {})));
  }

  async #restore(request: RestoredSession, replays: boolean): Promise<OpenedSession> {
    const { sessionId } = request;
    if (!/^[\w-]{1,128}$/.test(sessionId))
      throw new RequestError(RPC.invalidParams, "invalid session id", { field: "sessionId", reason: "grammar" });
    // One after the other, so that a session is not followed twice.
    const before = this.#restoring.get(sessionId) ?? Promise.resolve();
    const restored = before.catch(() => {}).then(() => this.#restoreNow(request, replays));
    this.#restoring.set(sessionId, restored);
    try {
      return await restored;
    } finally {
      if (this.#restoring.get(sessionId) === restored) this.#restoring.delete(sessionId);
    }
  }

  async #restoreNow(request: RestoredSession, replays: boolean): Promise<OpenedSession> {
    const open = this.#sessions.get(request.sessionId);
    if (open !== undefined) {
      if (replays) await reloadSession(open);
      return open.opened();
    }
    const session = await restoreSession(this.#around, request, { replays });
    await this.#keep(session);
    return session.opened();
  }

  async #set(sessionId: string, wanted: WantedOption): Promise<readonly ConfigOption[]> {
    const session = this.#session(sessionId);
    return withFaceErrors(() => session.setOption(wanted));
  }

  /** Lets go of a session at once that was opened when the editor was gone. */
  async #keep(session: FaceSession): Promise<void> {
    this.#sessions.set(session.id, session);
    if (this.#gone.signal.aborted) await session.end();
  }

  #session(id: string): FaceSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw unknownSession();
    // The editor knows the session.
    session.isKnown();
    return session;
  }
}

function agentIn({ agentd }: Meta): string | undefined {
  const agent = isRecord(agentd) ? agentd["agent"] : undefined;
  return typeof agent === "string" && agent !== "" ? agent : undefined;
}
