// SPDX-License-Identifier: MIT OR Apache-2.0
// The demo agent: ACP v1 without a model or a key, for first contact.
import type {
  Agent,
  AgentOffer,
  NewSession,
  Prompt,
  SessionPage,
  SessionRequest,
} from "../../../acp-face/agent-side/agent.ts";
import type { Client } from "../../../acp-face/agent-side/client.ts";
import { invalidParams } from "../../../acp-face/agent-side/params.ts";
import { RequestError } from "../../../acp-face/agent-side/request-error.ts";
import { RPC } from "../../../acp-client/jsonrpc/message.ts";
import type { ConfigOption } from "../../../acp-client/model.ts";
import { DemoSession } from "./session.ts";

export class DemoAgent implements Agent {
  readonly #client: Client;
  readonly #sessions = new Map<string, DemoSession>();

  constructor(client: Client) {
    this.#client = client;
  }

  initialize(): AgentOffer {
    return { info: { name: "demo", title: "Demo agent", version: "1.0.0" }, prompt: { embeddedContext: true } };
  }

  async newSession({ cwd, mcpServers }: NewSession) {
    if (mcpServers === undefined) throw invalidParams("mcpServers", "must be an array");
    const session = new DemoSession(cwd, mcpServers, this.#client);
    this.#sessions.set(session.id, session);
    await session.ready();
    // After the response, from which the client learns the session's id.
    setImmediate(() => session.greet());
    const { options } = session;
    return { sessionId: session.id, modes: options.modes(), options: options.configOptions() };
  }

  prompt(request: Prompt, signal: AbortSignal) {
    return this.#session(request).prompt(request.blocks, signal);
  }

  async setMode(request: SessionRequest & { readonly modeId: string }): Promise<void> {
    this.#session(request).setMode(request.modeId);
  }

  async setOption(
    request: SessionRequest & { readonly configId: string; readonly value: unknown },
  ): Promise<readonly ConfigOption[]> {
    const session = this.#session(request);
    session.setOption(request.configId, request.value);
    return session.options.configOptions();
  }

  async listSessions(request: { readonly cwd?: string; readonly cursor?: string }): Promise<SessionPage> {
    if (request.cursor !== undefined) throw invalidParams("cursor", "is unknown: the list has one page");
    const sessions = [...this.#sessions.values()].filter(({ cwd }) => request.cwd === undefined || request.cwd === cwd);
    return { sessions: sessions.map((session) => session.info()) };
  }

  async closeSession(request: SessionRequest): Promise<void> {
    this.#session(request).close();
    this.#sessions.delete(request.sessionId);
  }

  /** Idempotent: deleting an unknown session succeeds. */
  async deleteSession({ sessionId }: SessionRequest): Promise<void> {
    this.#sessions.get(sessionId)?.close();
    this.#sessions.delete(sessionId);
  }

  #session({ sessionId }: SessionRequest): DemoSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw new RequestError(RPC.resourceNotFound, "no such session", { sessionId });
    return session;
  }
}
