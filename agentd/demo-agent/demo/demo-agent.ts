// SPDX-License-Identifier: MIT OR Apache-2.0
// The demo agent: ACP v1 without a model or a key, for first contact.
import { isAbsolute } from "node:path";
import type { Readable, Writable } from "node:stream";
import { Connection, RpcError, isObject, rpcCodes } from "./connection.ts";
import type { Params } from "./connection.ts";
import type { ServerCommand } from "../mcp-client.ts";
import { type ClientFeatures, DemoSession } from "./session.ts";

export interface DemoAgentOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly onClosed: () => void;
}

type Method = (params: Params, signal: AbortSignal) => Promise<unknown>;

/** Serves until the input ends. */
export class DemoAgent {
  readonly #connection: Connection;
  readonly #onClosed: () => void;
  readonly #sessions = new Map<string, DemoSession>();
  readonly #methods: Readonly<Record<string, Method>>;
  #initialized = false;
  #client: ClientFeatures = { booleans: false, forms: false, writes: false };

  constructor({ input, output, onClosed }: DemoAgentOptions) {
    this.#onClosed = onClosed;
    this.#connection = new Connection(input, output, this);
    // session/load and session/resume are not implemented, and so not advertised.
    this.#methods = {
      initialize: async (params) => this.#initialize(params),
      authenticate: async () => ({}),
      "session/new": (params) => this.#newSession(params),
      "session/prompt": (params, signal) => this.#session(params).prompt(params["prompt"], signal),
      "session/set_mode": async (params) => this.#setMode(params),
      "session/set_config_option": async (params) => this.#setOption(params),
      "session/list": async (params) => this.#list(params),
      "session/close": async (params) => this.#close(params),
      "session/delete": async (params) => this.#delete(params),
    };
  }

  request(method: string, params: Params, signal: AbortSignal): Promise<unknown> | undefined {
    const serve = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined;
    if (serve !== undefined && method !== "initialize" && !this.#initialized)
      throw new RpcError(rpcCodes.invalidRequest, "initialize first");
    return serve?.(params, signal);
  }

  notification(method: string, params: Params): void {
    if (method === "session/cancel") this.#sessions.get(String(params["sessionId"]))?.cancel();
  }

  closed(): void {
    for (const session of this.#sessions.values()) session.close();
    this.#onClosed();
  }

  #initialize(params: Params): object {
    if (!Number.isInteger(params["protocolVersion"]))
      throw new RpcError(rpcCodes.invalidParams, "protocolVersion is missing");
    this.#initialized = true;
    this.#client = {
      booleans: takesBooleans(params["clientCapabilities"]),
      forms: showsForms(params["clientCapabilities"]),
      writes: writesFiles(params["clientCapabilities"]),
    };
    return {
      protocolVersion: 1,
      agentInfo: { name: "demo", title: "Demo agent", version: "1.0.0" },
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        sessionCapabilities: { list: {}, close: {}, delete: {} },
      },
      authMethods: [],
    };
  }

  async #newSession(params: Params): Promise<object> {
    const cwd = params["cwd"];
    if (typeof cwd !== "string" || !isAbsolute(cwd))
      throw new RpcError(rpcCodes.invalidParams, "cwd must be an absolute path");
    if (!Array.isArray(params["mcpServers"])) throw new RpcError(rpcCodes.invalidParams, "mcpServers must be an array");
    const servers = params["mcpServers"].filter(isStdioServer);
    const session = new DemoSession(cwd, servers, this.#client, this.#connection);
    this.#sessions.set(session.id, session);
    await session.ready();
    // After the response, from which the client learns the session's id.
    setImmediate(() => session.greet());
    const { options } = session;
    return { sessionId: session.id, modes: options.modeState(), configOptions: options.configOptions() };
  }

  #setMode(params: Params): object {
    this.#session(params).setMode(params["modeId"]);
    return {};
  }

  #setOption(params: Params): object {
    const session = this.#session(params);
    session.setOption(String(params["configId"]), params["value"]);
    return { configOptions: session.options.configOptions() };
  }

  #list(params: Params): object {
    if (params["cursor"] !== undefined && params["cursor"] !== null)
      throw new RpcError(rpcCodes.invalidParams, "no such cursor: the list has one page");
    const cwd = params["cwd"];
    const sessions = [...this.#sessions.values()].filter((session) => typeof cwd !== "string" || session.cwd === cwd);
    return { sessions: sessions.map((session) => session.info()) };
  }

  #close(params: Params): object {
    const session = this.#session(params);
    session.close();
    this.#sessions.delete(session.id);
    return {};
  }

  /** Idempotent: deleting an unknown session succeeds. */
  #delete(params: Params): object {
    const id = String(params["sessionId"]);
    this.#sessions.get(id)?.close();
    this.#sessions.delete(id);
    return {};
  }

  #session(params: Params): DemoSession {
    const sessionId = params["sessionId"];
    const session = typeof sessionId === "string" ? this.#sessions.get(sessionId) : undefined;
    if (session === undefined) throw new RpcError(rpcCodes.resourceNotFound, "no such session", { sessionId });
    return session;
  }
}

/** Servers over HTTP are ignored, since the agent does not advertise support for them. */
function isStdioServer(server: unknown): server is ServerCommand {
  if (!isObject(server)) return false;
  const { name, command, args, env } = server;
  return typeof name === "string" && typeof command === "string" && Array.isArray(args) && Array.isArray(env);
}

/** Whether clientCapabilities.session.configOptions.boolean is set. */
function takesBooleans(capabilities: unknown): boolean {
  const session = isObject(capabilities) ? capabilities["session"] : undefined;
  const configOptions = isObject(session) ? session["configOptions"] : undefined;
  return isObject(configOptions) && isObject(configOptions["boolean"]);
}

/** Whether clientCapabilities.elicitation.form is set. */
function showsForms(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities["elicitation"] : undefined;
  return isObject(elicitation) && isObject(elicitation["form"]);
}

/** Whether clientCapabilities.fs.writeTextFile is true. */
function writesFiles(capabilities: unknown): boolean {
  const fs = isObject(capabilities) ? capabilities["fs"] : undefined;
  return isObject(fs) && fs["writeTextFile"] === true;
}
