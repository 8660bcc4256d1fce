// SPDX-License-Identifier: MIT OR Apache-2.0
// The demo agent: ACP v1 without a model or a key, for first contact.
import type {
  Agent,
  AgentOffer,
  NewSession,
  OpenedSession,
  Prompt,
  RestoredSession,
  SessionPage,
  SessionRequest,
} from "../../../acp-face/agent-side/agent.ts";
import type { Client } from "../../../acp-face/agent-side/client.ts";
import { invalidParams } from "../../../acp-face/agent-side/initialize-params.ts";
import { RequestError } from "../../../acp-face/agent-side/request-error.ts";
import { RPC } from "../../../acp-client/jsonrpc/message.ts";
import type { ConfigOption, McpServer } from "../../../acp-client/model.ts";
import { DemoSession } from "./session.ts";
import type { SavedSession, SessionStore } from "./session-store.ts";

export class DemoAgent implements Agent {
  readonly #client: Client;
  readonly #store: SessionStore;
  readonly #sessions = new Map<string, DemoSession>();

  constructor(client: Client, store: SessionStore) {
    this.#client = client;
    this.#store = store;
  }

  initialize(): AgentOffer {
    return { info: { name: "demo", title: "Demo agent", version: "1.0.0" }, prompt: { embeddedContext: true } };
  }

  async newSession({ cwd, mcpServers }: NewSession) {
    if (mcpServers === undefined) throw invalidParams("mcpServers", "must be an array");
    const session = await this.#open(cwd, mcpServers);
    session.save();
    return { sessionId: session.id, ...opened(session) };
  }

  async loadSession(request: RestoredSession): Promise<OpenedSession> {
    const { cwd, mcpServers } = request;
    if (mcpServers === undefined) throw invalidParams("mcpServers", "must be an array");
    const session = await this.#open(cwd, mcpServers, this.#saved(request));
    await session.replay();
    return opened(session);
  }

  async resumeSession(request: RestoredSession): Promise<OpenedSession> {
    const { cwd, mcpServers = [] } = request;
    return opened(await this.#open(cwd, mcpServers, this.#saved(request)));
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
    const sessions = this.#store
      .all()
      .filter(({ cwd }) => request.cwd === undefined || request.cwd === cwd)
      .sort((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1))
      .map(({ id, cwd, updatedAt, title }) => ({ sessionId: id, cwd, updatedAt, ...(title && { title }) }));
    return { sessions };
  }

  /** A closed session can be loaded and resumed. */
  async closeSession(request: SessionRequest): Promise<void> {
    this.#session(request).close();
    this.#sessions.delete(request.sessionId);
  }

  /** Idempotent: deleting an unknown session succeeds. */
  async deleteSession({ sessionId }: SessionRequest): Promise<void> {
    this.#sessions.get(sessionId)?.close();
    this.#sessions.delete(sessionId);
    this.#store.remove(sessionId);
  }

  async #open(cwd: string, servers: readonly McpServer[], saved?: SavedSession): Promise<DemoSession> {
    const save = (session: SavedSession): void => this.#save(session);
    const session = new DemoSession({ cwd, servers, client: this.#client, save }, saved);
    this.#sessions.get(session.id)?.close();
    this.#sessions.set(session.id, session);
    await session.ready();
    // After the response, from which the client learns the session's id.
    setImmediate(() => session.greet());
    return session;
  }

  /** A session that cannot be saved goes on, and cannot be restored later. */
  #save(session: SavedSession): void {
    try {
      this.#store.write(session);
    } catch (error) {
      const isOfFileSystem = error instanceof Error && "code" in error;
      if (!isOfFileSystem) throw error;
    }
  }

  #saved({ sessionId }: SessionRequest): SavedSession {
    const saved = this.#store.read(sessionId);
    if (saved === undefined) throw noSuchSession(sessionId);
    return saved;
  }

  #session({ sessionId }: SessionRequest): DemoSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw noSuchSession(sessionId);
    return session;
  }
}

function opened({ options }: DemoSession): OpenedSession {
  return { modes: options.modes(), options: options.configOptions() };
}

function noSuchSession(sessionId: string): RequestError {
  return new RequestError(RPC.resourceNotFound, "no such session", { sessionId });
}
