// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent is to its client, independent of JSON-RPC.
import type { SessionInfo } from "../../acp-client/agent-client.ts";
import type { AuthMethod, ConfigOption, ContentBlock, McpServer } from "../../acp-client/model.ts";
import type { ReportedChoices } from "../../acp-client/schema/v1/config.ts";

/** A request's `_meta`, which is empty if it is missing or no object; or the one that goes into a reply. */
export type Meta = Readonly<Record<string, unknown>>;

export interface InitializeRequest {
  readonly protocolVersion: number;
  readonly client: { readonly name: string; readonly version: string } | undefined;
  readonly meta: Meta;
}

/** A capability that is missing or malformed is false. */
export interface ClientCapabilities {
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly terminal: boolean;
  readonly forms: boolean;
  readonly urls: boolean;
  readonly booleanOptions: boolean;
  /** Whether it takes updates of the type `notice`. */
  readonly notices: boolean;
  /** Whether it takes updates about compactions. */
  readonly compaction: boolean;
  /** Whether it runs authentication methods of the type `terminal`. */
  readonly terminalLogin: boolean;
  readonly meta: Meta;
}

export interface NewSession {
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  /** Undefined if the client left them out, as it must not in session/new and session/load. */
  readonly mcpServers: readonly McpServer[] | undefined;
  readonly meta: Meta;
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
  readonly meta: Meta;
}

export interface ListRequest {
  readonly cwd?: string;
  readonly cursor?: string;
  readonly meta: Meta;
}

/** The reply to initialize, besides the methods that the agent has. */
export interface AgentOffer {
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  readonly prompt?: { readonly image?: boolean; readonly audio?: boolean; readonly embeddedContext?: boolean };
  readonly mcp?: { readonly http?: boolean; readonly sse?: boolean };
  /** Whether clients may open a session with directories besides its cwd. */
  readonly additionalDirectories?: boolean;
  readonly authMethods?: readonly (AuthMethod & { readonly _meta?: Meta })[];
  readonly meta?: Meta;
}

export interface OpenedSession {
  readonly modes?: ReportedChoices;
  readonly options?: readonly ConfigOption[];
  readonly meta?: Meta;
}

/**
 * A method that is absent is answered with -32601 and not advertised. A RequestError is answered as it is; any other
 * exception as an internal error. Methods are called in the order of the requests, without waiting for each other.
 */
export interface Agent {
  newSession(request: NewSession, signal: AbortSignal): Promise<OpenedSession & { readonly sessionId: string }>;
  loadSession?(request: RestoredSession, signal: AbortSignal): Promise<OpenedSession>;
  resumeSession?(request: RestoredSession, signal: AbortSignal): Promise<OpenedSession>;
  listSessions?(request: ListRequest): Promise<SessionPage>;
  /** The session's prompts were cancelled and answered before. */
  closeSession?(request: SessionRequest): Promise<void>;
  deleteSession?(request: SessionRequest): Promise<void>;
  /**
   * The signal is aborted by session/cancel, session/close, $/cancel_request and the end of the input. Whether it then
   * resolves or rejects, the prompt is answered as cancelled.
   */
  prompt(request: Prompt, signal: AbortSignal): Promise<PromptResult>;
  /** Called for each session/cancel after the session's prompts were aborted, also if there were none. */
  cancelled?(request: SessionRequest): void;
  setMode?(request: SessionRequest & { readonly modeId: string }): Promise<void>;
  /** The method that came before the option of the category `model`; it is not advertised. */
  setModel?(request: SessionRequest & { readonly modelId: string }): Promise<void>;
  /** Resolves to all options of the session. */
  setOption?(
    request: SessionRequest & { readonly configId: string; readonly value: unknown },
  ): Promise<readonly ConfigOption[]>;
  authenticate?(request: { readonly methodId: string }): Promise<void>;
  logout?(): Promise<void>;
  /**
   * The client is gone, or this side ends the connection. Called once, before the prompts' signals are aborted. The
   * connection closes after it, within its time for open requests.
   */
  ended?(): Promise<void>;
}

/** Of the methods that are advertised by name, those that are not undefined: an agent, or what says the same of it. */
export type AdvertisedMethods = {
  readonly [
    Method in "loadSession" | "resumeSession" | "listSessions" | "closeSession" | "deleteSession" | "logout"
  ]?: unknown;
};

export interface PromptResult {
  readonly stopReason: string;
  readonly meta?: Meta;
  /** The turn's tokens, by the names of ACP's unstable schema. */
  readonly usage?: Readonly<Record<string, number>>;
}

export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  readonly nextCursor?: string;
}
