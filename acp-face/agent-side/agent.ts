// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent is to its client, independent of JSON-RPC.
import type { SessionInfo } from "../../acp-client/agent-client.ts";
import type { AuthMethod, ConfigOption, ContentBlock, McpServer } from "../../acp-client/model.ts";
import type { ReportedChoices } from "../../acp-client/schema/v1/config.ts";

export type Meta = Readonly<Record<string, unknown>>;

export interface InitializeRequest {
  readonly protocolVersion: number;
  readonly client: { readonly name: string; readonly version: string } | undefined;
}

/** A capability that is missing or malformed is false. */
export interface ClientCapabilities {
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly terminal: boolean;
  readonly forms: boolean;
  readonly urls: boolean;
  readonly booleanOptions: boolean;
}

export interface NewSession {
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  /** Undefined if the client left them out, as it must not in session/new and session/load. */
  readonly mcpServers: readonly McpServer[] | undefined;
}

/** The params of session/load and session/resume. */
export interface RestoredSession extends NewSession {
  readonly sessionId: string;
}

export interface SessionRequest {
  readonly sessionId: string;
}

export interface Prompt extends SessionRequest {
  /** At least one, each of a type that every agent takes or this one offers. */
  readonly blocks: readonly ContentBlock[];
}

/** The reply to initialize. A method is offered by implementing it. */
export interface AgentOffer {
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  readonly prompt?: { readonly image?: boolean; readonly audio?: boolean; readonly embeddedContext?: boolean };
  readonly mcp?: { readonly http?: boolean; readonly sse?: boolean };
  readonly authMethods?: readonly AuthMethod[];
  readonly meta?: Meta;
}

export interface OpenedSession {
  readonly modes?: ReportedChoices;
  readonly options?: readonly ConfigOption[];
}

/**
 * A method that is absent is answered with -32601 and not advertised. A RequestError is answered as it is; any other
 * exception as an internal error. Methods are called in the order of the requests, without waiting for each other.
 */
export interface Agent {
  /** May be called again. */
  initialize(request: InitializeRequest): Promise<AgentOffer> | AgentOffer;
  newSession(request: NewSession, signal: AbortSignal): Promise<OpenedSession & { readonly sessionId: string }>;
  loadSession?(request: RestoredSession, signal: AbortSignal): Promise<OpenedSession>;
  resumeSession?(request: RestoredSession, signal: AbortSignal): Promise<OpenedSession>;
  listSessions?(request: { readonly cwd?: string; readonly cursor?: string }): Promise<SessionPage>;
  /** The session's prompts were cancelled and answered before. */
  closeSession?(request: SessionRequest): Promise<void>;
  deleteSession?(request: SessionRequest): Promise<void>;
  /**
   * The signal is aborted by session/cancel, session/close, $/cancel_request and the end of the input. Whether it then
   * resolves or rejects, the prompt is answered as cancelled.
   */
  prompt(request: Prompt, signal: AbortSignal): Promise<{ readonly stopReason: string; readonly meta?: Meta }>;
  setMode?(request: SessionRequest & { readonly modeId: string }): Promise<void>;
  /** Resolves to all options of the session. */
  setOption?(
    request: SessionRequest & { readonly configId: string; readonly value: unknown },
  ): Promise<readonly ConfigOption[]>;
  authenticate?(request: { readonly methodId: string }): Promise<void>;
  logout?(): Promise<void>;
}

export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  readonly nextCursor?: string;
}
