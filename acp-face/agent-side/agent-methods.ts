// SPDX-License-Identifier: MIT OR Apache-2.0
// Everything but initialize: decodes each request, calls the agent, and encodes what it answers.
import { setImmediate } from "node:timers/promises";
import type * as z from "zod";
import { METHODS } from "../../acp-client/schema/v1/requests.ts";
import { isRecord } from "../../json/record.ts";
import type { Agent } from "./agent.ts";
import {
  AnyParams,
  AuthenticateParams,
  decodeList,
  decodeNewSession,
  decodeParams,
  decodePrompt,
  decodeRestoredSession,
  ModelParams,
  ModeParams,
  type Offered,
  OptionParams,
  SessionParams,
} from "./params.ts";
import { configOptions, openedResult, sessionPageResult } from "./replies.ts";

/** What a method is called with besides its params. */
export interface RequestFacts {
  readonly signal: AbortSignal;
  readonly offer: Offered;
}

type Serve = (params: unknown, facts: RequestFacts) => Promise<object>;

interface Turn {
  readonly sessionId: string;
  readonly cancel: AbortController;
  readonly ended: Promise<unknown>;
}

export class AgentMethods {
  readonly #agent: Agent;
  readonly #methods: Readonly<Record<string, Serve | undefined>>;
  readonly #turns = new Set<Turn>();

  constructor(agent: Agent) {
    this.#agent = agent;
    this.#methods = this.#makeMethods(agent);
  }

  /** Undefined if the agent does not have the method. Calls the agent before it returns. */
  request(method: string, params: unknown, facts: RequestFacts): Promise<object> | undefined {
    return Object.hasOwn(this.#methods, method) ? this.#methods[method]?.(params, facts) : undefined;
  }

  notification(method: string, params: unknown): void {
    if (method === METHODS.cancel) this.#cancelSession(params);
  }

  ended(): Promise<void> | undefined {
    const released = this.#agent.ended?.();
    for (const { cancel } of this.#turns) cancel.abort();
    return released;
  }

  #makeMethods(agent: Agent): Readonly<Record<string, Serve | undefined>> {
    const of =
      <T>(schema: z.ZodType<T>) =>
      (params: unknown) =>
        decodeParams(schema, params);
    const nothing = () => ({});
    return {
      [METHODS.authenticate]: route(agent.authenticate?.bind(agent), of(AuthenticateParams), nothing),
      [METHODS.logout]: route(agent.logout?.bind(agent), of(AnyParams), nothing),
      [METHODS.newSession]: route(agent.newSession.bind(agent), decodeNewSession, openedResult),
      [METHODS.load]: route(agent.loadSession?.bind(agent), decodeRestoredSession, openedResult),
      [METHODS.resume]: route(agent.resumeSession?.bind(agent), decodeRestoredSession, openedResult),
      [METHODS.list]: route(agent.listSessions?.bind(agent), decodeList, sessionPageResult),
      [METHODS.close]: agent.closeSession && ((params) => this.#close(params)),
      [METHODS.delete]: route(agent.deleteSession?.bind(agent), of(SessionParams), nothing),
      [METHODS.prompt]: (params, facts) => this.#prompt(params, facts),
      // A notification in ACP, which some clients send as a request.
      [METHODS.cancel]: async (params) => (this.#cancelSession(params), {}),
      [METHODS.setMode]: route(agent.setMode?.bind(agent), of(ModeParams), nothing),
      [METHODS.setModel]: route(agent.setModel?.bind(agent), of(ModelParams), nothing),
      [METHODS.setConfigOption]: route(agent.setOption?.bind(agent), of(OptionParams), (options) => ({
        configOptions: configOptions(options),
      })),
    };
  }

  async #prompt(params: unknown, { signal: cancelled, offer }: RequestFacts): Promise<object> {
    const prompt = decodePrompt(params, offer);
    const cancel = new AbortController();
    const signal = AbortSignal.any([cancelled, cancel.signal]);
    const reply = this.#agent.prompt(prompt, signal);
    const turn = { sessionId: prompt.sessionId, cancel, ended: reply.catch(() => {}) };
    this.#turns.add(turn);
    try {
      const { stopReason, meta, usage } = await reply;
      const reason = signal.aborted ? "cancelled" : stopReason;
      return { stopReason: reason, ...(usage && { usage }), ...(meta && { _meta: meta }) };
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

  #cancelSession(params: unknown): void {
    this.#cancel(params);
    const request = SessionParams.safeParse(params);
    if (request.success) this.#agent.cancelled?.(request.data);
  }

  /** Cancels the turns of the session in the params, if there are any. */
  #cancel(params: unknown): readonly Turn[] {
    const sessionId = isRecord(params) ? params["sessionId"] : undefined;
    const turns = [...this.#turns].filter((turn) => turn.sessionId === sessionId);
    for (const { cancel } of turns) cancel.abort();
    return turns;
  }
}

function route<Q, A>(
  method: ((request: Q, signal: AbortSignal) => Promise<A>) | undefined,
  decode: (params: unknown, offer: Offered) => Q,
  encode: (answer: A) => object,
): Serve | undefined {
  return method && (async (params, { signal, offer }) => encode(await method(decode(params, offer), signal)));
}
