// SPDX-License-Identifier: MIT OR Apache-2.0
// Serves one client: decodes each request, calls the agent, and encodes what it answers.
import { setImmediate } from "node:timers/promises";
import type * as z from "zod";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import { truncateText } from "../../acp-client/jsonrpc/sample.ts";
import { METHODS } from "../../acp-client/schema/v1/requests.ts";
import { isRecord } from "../../json/record.ts";
import type { Agent, AgentOffer } from "./agent.ts";
import { Client } from "./client.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import {
  AnyParams,
  AuthenticateParams,
  decodeClientCapabilities,
  decodeInitialize,
  decodeNewSession,
  decodeParams,
  decodePrompt,
  decodeRestoredSession,
  ListParams,
  ModeParams,
  OptionParams,
  SessionParams,
} from "./params.ts";
import { configOptions, initializeResult, openedResult, sessionPageResult } from "./replies.ts";
import { RequestError } from "./request-error.ts";

export type StartAgent = (client: Client) => Agent;

export interface ServeOptions extends Pick<ConnectionOptions, "input" | "output" | "diagnose"> {
  readonly start: StartAgent;
}

export function serveAgent(options: ServeOptions): Connection {
  return new AgentSide(options).connection;
}

type Serve = (params: unknown, signal: AbortSignal) => Promise<object>;

interface Turn {
  readonly sessionId: string;
  readonly cancel: AbortController;
  readonly ended: Promise<unknown>;
}

class AgentSide {
  readonly connection: Connection;
  readonly #client: Client;
  readonly #agent: Agent;
  readonly #methods: Readonly<Record<string, Serve | undefined>>;
  readonly #turns = new Set<Turn>();
  #initializing: Promise<AgentOffer> | undefined;
  #offer: AgentOffer | undefined;

  constructor({ start, ...streams }: ServeOptions) {
    this.connection = new Connection({
      ...streams,
      isServer: true,
      handler: {
        request: (method, params, signal) => this.#serve(method, params, signal),
        notification: (method, params) => {
          if (method === METHODS.cancel) this.#cancel(params);
        },
        ended: () => {
          for (const { cancel } of this.#turns) cancel.abort();
        },
      },
    });
    this.#client = new Client(this.connection);
    this.#agent = start(this.#client);
    this.#methods = this.#makeMethods(this.#agent);
  }

  async #serve(method: string, params: unknown, signal: AbortSignal): Promise<object> {
    const serve = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined;
    if (serve === undefined) throw unknownMethod(truncateText(method, 100));
    // Waits only if it must, so that a cancel in the same read as its prompt finds the prompt.
    if (method !== METHODS.initialize && this.#offer === undefined) await this.#untilInitialized();
    try {
      return await serve(params, signal);
    } catch (error) {
      if (signal.aborted) throw new RequestError(RPC.requestCancelled, "The request was cancelled");
      throw error;
    }
  }

  #makeMethods(agent: Agent): Readonly<Record<string, Serve | undefined>> {
    const open = (params: unknown) => decodeNewSession(params, this.#offer ?? {});
    const restore = (params: unknown) => decodeRestoredSession(params, this.#offer ?? {});
    const of =
      <T>(schema: z.ZodType<T>) =>
      (params: unknown) =>
        decodeParams(schema, params);
    const nothing = () => ({});
    return {
      [METHODS.initialize]: (params) => this.#initialize(params),
      [METHODS.authenticate]: route(agent.authenticate?.bind(agent), of(AuthenticateParams), nothing),
      [METHODS.logout]: route(agent.logout?.bind(agent), of(AnyParams), nothing),
      [METHODS.newSession]: route(agent.newSession.bind(agent), open, openedResult),
      [METHODS.load]: route(agent.loadSession?.bind(agent), restore, openedResult),
      [METHODS.resume]: route(agent.resumeSession?.bind(agent), restore, openedResult),
      [METHODS.list]: route(agent.listSessions?.bind(agent), of(ListParams), sessionPageResult),
      [METHODS.close]: agent.closeSession && ((params) => this.#close(params)),
      [METHODS.delete]: route(agent.deleteSession?.bind(agent), of(SessionParams), nothing),
      [METHODS.prompt]: (params, signal) => this.#prompt(params, signal),
      // A notification in ACP, which some clients send as a request.
      [METHODS.cancel]: async (params) => (this.#cancel(params), {}),
      [METHODS.setMode]: route(agent.setMode?.bind(agent), of(ModeParams), nothing),
      [METHODS.setConfigOption]: route(agent.setOption?.bind(agent), of(OptionParams), (options) => ({
        configOptions: configOptions(options),
      })),
    };
  }

  async #initialize(params: unknown): Promise<object> {
    const request = decodeInitialize(params);
    this.#client.capabilities = decodeClientCapabilities(params);
    this.#initializing = Promise.resolve(this.#agent.initialize(request));
    this.#offer = await this.#initializing;
    return initializeResult(this.#agent, this.#offer);
  }

  async #untilInitialized(): Promise<void> {
    const offer = await this.#initializing?.catch(() => undefined);
    if (offer === undefined) throw new RequestError(RPC.invalidRequest, "Initialize first");
  }

  async #prompt(params: unknown, cancelled: AbortSignal): Promise<object> {
    const prompt = decodePrompt(params, this.#offer ?? {});
    const cancel = new AbortController();
    const signal = AbortSignal.any([cancelled, cancel.signal]);
    const reply = this.#agent.prompt(prompt, signal);
    const turn = { sessionId: prompt.sessionId, cancel, ended: reply.catch(() => {}) };
    this.#turns.add(turn);
    try {
      const { stopReason, meta } = await reply;
      return { stopReason: signal.aborted ? "cancelled" : stopReason, ...(meta && { _meta: meta }) };
    } catch (error) {
      if (signal.aborted) return { stopReason: "cancelled" };
      throw error;
    } finally {
      this.#turns.delete(turn);
    }
  }

  async #close(params: unknown): Promise<object> {
    const request = decodeParams(SessionParams, params);
    const turns = this.#cancel(request);
    await Promise.all(turns.map(({ ended }) => ended));
    await setImmediate(); // The prompts are answered now.
    await this.#agent.closeSession?.(request);
    return {};
  }

  /** Cancels the turns of the session in the params, if there are any. */
  #cancel(params: unknown): readonly Turn[] {
    const sessionId = isRecord(params) ? params["sessionId"] : undefined;
    const turns = [...this.#turns].filter((turn) => turn.sessionId === sessionId);
    for (const { cancel } of turns) cancel.abort();
    return turns;
  }
}

function unknownMethod(method: string): RequestError {
  return new RequestError(RPC.methodNotFound, `There is no method ${method}`, { method });
}

function route<Q, A>(
  method: ((request: Q, signal: AbortSignal) => Promise<A>) | undefined,
  decode: (params: unknown) => Q,
  encode: (answer: A) => object,
): Serve | undefined {
  return method && (async (params, signal) => encode(await method(decode(params), signal)));
}
