// SPDX-License-Identifier: MIT OR Apache-2.0
// The Bus side of the face: one connection, which is made when it is first needed and again when agentd was given up.
import type { Entry } from "../agentd/vocabulary/entries.ts";
import type { LogPage } from "../agentd/vocabulary/replies.ts";
import type { Verb, VerbInput } from "../agentd/vocabulary/verbs.ts";
import { AgentError, clientError } from "../agent-client/agent-error.ts";
import { busSource } from "../agent-client/entries/bus-source.ts";
import { follow, type Position } from "../agent-client/entries/follow.ts";
import type { AgentReplies } from "../agent-client/requests/agent-replies.ts";
import type { AgentBus } from "../agent-client/requests/ask.ts";
import { retryWhileAway } from "../agent-client/requests/retry-while-away.ts";
import type { BusClient, Clock } from "../bus-client/index.ts";
import { parseJson } from "../json/raw-json.ts";
import { isRecord } from "../json/record.ts";
import { isRefusal } from "./face-error.ts";

export interface GatewayOptions {
  /** Connects to agentd as a citizen. Rejects with an `AgentError` when it cannot be reached. */
  readonly connect: () => Promise<AgentBus>;
  readonly clock: Clock;
  /** Command ids: a command that is sent again runs once. */
  readonly newCommandId: () => string;
}

export interface ConnectionHandlers {
  /** Called with each new connection, and with the one there is already. */
  readonly onConnected: (client: BusClient) => void;
  /** Called after each connection but the first: agentd may have forgotten what it keeps for a connection. */
  readonly onReconnected: () => void;
}

/** How long a request is sent again after it first failed, because agentd is away or busy. */
const retryMsMax = 10_000;
/** How long agentd may take for a verb that it answers at once. */
const replyMsMax = 15_000;
/** The same for a verb that waits for the agent, for which agentd takes at most 50 s. */
const slowReplyMsMax = 55_000;
const slowVerbs: ReadonlySet<Verb> = new Set(["agent.session.set_config", "agent.session.wait"]);

export interface FollowHandlers {
  readonly signal: AbortSignal;
  readonly onReachableChange: (reachable: boolean) => void;
}

export class Gateway {
  readonly newCommandId: () => string;
  readonly #options: GatewayOptions;
  #bus: Promise<AgentBus> | undefined;
  #handlers: ConnectionHandlers | undefined;
  /** That of the newest connection. */
  #client: BusClient | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.newCommandId = options.newCommandId;
  }

  /** Rejects with an `AgentError` if agentd cannot be reached. The next call then tries again. */
  bus(): Promise<AgentBus> {
    const connecting = (this.#bus ??= this.#connect());
    connecting.catch(() => {
      if (this.#bus === connecting) this.#bus = undefined;
    });
    return connecting;
  }

  onConnection(handlers: ConnectionHandlers): void {
    this.#handlers = handlers;
    if (this.#client !== undefined) handlers.onConnected(this.#client);
  }

  /** The name on the Bus. */
  async name(): Promise<string> {
    return (await this.bus()).client.name ?? "";
  }

  /** Sends a request, again while agentd is away or busy for a short time. Throws an `AgentError`, after a bounded time. */
  async ask<V extends Verb>(verb: V, args: VerbInput<V>): Promise<AgentReplies[V]> {
    const bus = await this.bus();
    const timeoutMs = slowVerbs.has(verb) ? slowReplyMsMax : replyMsMax;
    const { body } = await this.#retried(() => bus.call("agent", verb, args, { timeoutMs }));
    return checkedBody(verb, body);
  }

  /** Yields every entry after the position, once and in order, until the signal. Throws as agent-client's `follow`. */
  async *entries(
    session: string,
    position: Position,
    { signal, onReachableChange }: FollowHandlers,
  ): AsyncGenerator<Entry> {
    const bus = await this.bus();
    const { clock } = this.#options;
    try {
      yield* follow({
        source: await busSource(bus),
        session,
        position,
        now: () => clock.now(),
        after: (ms, run) => clock.after(ms, run),
        mayComeBack: bus.mayComeBack,
        signal,
        onReachableChange,
      });
    } catch (error) {
      if (error instanceof AgentError && error.code === "UNREACHABLE") await this.#giveUp(bus);
      throw error;
    }
  }

  /** A page of a session's log, read on the second connection. Throws as `ask`. */
  async page(session: string, after: number | string): Promise<LogPage> {
    const source = await busSource(await this.bus());
    return this.#retried(() => source.page(session, after));
  }

  async #retried<T>(request: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const late = new AbortController();
    let cancel: (() => void) | undefined;
    let failure: unknown;
    const policy = {
      now: () => clock.now(),
      after: (ms: number, run: () => void) => clock.after(ms, run),
      signal: late.signal,
    };
    const attempt = async (): Promise<{ readonly reply: T }> => {
      try {
        return { reply: await request() };
      } catch (error) {
        failure = error;
        cancel ??= clock.after(retryMsMax, () => late.abort());
        throw error;
      }
    };
    try {
      const answered = await retryWhileAway(policy, attempt);
      if (answered !== undefined) return answered.reply;
      throw isRefusal(failure, "BUSY") ? failure : clientError("UNREACHABLE", "agentd is away");
    } finally {
      cancel?.();
    }
  }

  async #connect(): Promise<AgentBus> {
    const bus = await this.#options.connect();
    const isFirst = this.#client === undefined;
    this.#client = bus.client;
    this.#handlers?.onConnected(bus.client);
    let { generation } = bus.client;
    bus.client.onState((state) => {
      if (state.kind !== "connected" || state.generation === generation) return;
      generation = state.generation;
      this.#handlers?.onReconnected();
    });
    if (!isFirst) this.#handlers?.onReconnected();
    return bus;
  }

  /** The next request connects again, and starts agentd where that is wanted. */
  async #giveUp(bus: AgentBus): Promise<void> {
    if ((await this.#bus?.catch(() => undefined)) !== bus) return;
    this.#bus = undefined;
    await bus.close();
  }
}

function checkedBody<V extends Verb>(verb: V, body: string): AgentReplies[V] {
  const reply: unknown = parseJson(body);
  if (isRecord(reply)) return reply as unknown as AgentReplies[V];
  throw new AgentError("BAD_GATEWAY_REPLY", `agentd answered ${verb} with something else than an object`);
}
