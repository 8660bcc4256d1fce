// SPDX-License-Identifier: MIT OR Apache-2.0
// The service `notify` on the Bus: tells whether it is registered, and calls it.
import * as z from "zod";
import { type BusClient, BusError, parseRegisteredServices, replyFailure } from "../../bus-client/index.ts";
import { tryParseJson } from "../../json/raw-json.ts";
import { notifyStates, notifyTopics, type NotifyInput, type NotifyVerb } from "../vocabulary/index.ts";

/** The replies, as far as agentd uses them. */
export const askedReply = z.looseObject({ ask: z.string(), state: z.enum(notifyStates) });

export const knownAsk = z.looseObject({
  ask: z.string(),
  ref: z.string(),
  state: z.enum(notifyStates),
  answer: z.looseObject({ option: z.string(), by: z.string().nullable() }).optional(),
});
export type KnownAsk = z.output<typeof knownAsk>;

export const listReply = z.looseObject({ asks: z.array(knownAsk), more: z.boolean() });

/** The body of the topic `answered`, which anybody can publish. */
const hint = z.looseObject({ ask: z.string() });

export type NotifyBus = Pick<BusClient, "call" | "subscribe" | "name">;

/** The service's own error with its code. Failures of the transport are BusError. */
export class NotifyRefusal extends Error {
  override readonly name = "NotifyRefusal";
  readonly code: string | undefined;

  constructor(code: string | undefined, message: string) {
    super(message);
    this.code = code;
  }
}

export interface NotifyServiceOptions {
  readonly bus: NotifyBus;
  /** Undefined if nobody is to be asked. */
  readonly name: () => string | undefined;
  readonly callMs: number;
  /** Called when services were registered or removed. */
  readonly onServices: () => void;
  /** Called when a message says that this ask was answered. Anybody can publish one, so it proves nothing. */
  readonly onHint: (ask: string) => void;
}

export class NotifyService {
  readonly #options: NotifyServiceOptions;
  readonly #followed = new Set<string>();
  /** The service as found by the last lookup. */
  #found: { readonly name: string; readonly incarnation: string } | undefined;

  constructor(options: NotifyServiceOptions) {
    this.#options = options;
  }

  get reach(): "off" | "away" | "there" {
    const name = this.#options.name();
    if (name === undefined) return "off";
    return this.#found?.name === name ? "there" : "away";
  }

  /** Forgets the service, for example when the Bus is disconnected. */
  onLost(): void {
    this.#found = undefined;
  }

  /** Returns true if the service is registered and is another incarnation than before. Throws BusError. */
  async lookUp(): Promise<boolean> {
    const { bus, callMs, onServices } = this.#options;
    const name = this.#options.name();
    if (name === undefined) {
      this.onLost();
      return false;
    }
    await this.#follow("noded.props.changed", onServices);
    await this.#follow(notifyTopics(name).answered, (body) => {
      const { data } = hint.safeParse(tryParseJson(body));
      if (data) this.#options.onHint(data.ask);
    });
    const reply = await bus.call("noded", "noded.list", undefined, { timeoutMs: callMs });
    const incarnation = incarnationOf(reply.body, name);
    const before = this.#found;
    this.#found = incarnation === undefined ? undefined : { name, incarnation };
    return this.#found !== undefined && (before?.name !== name || before.incarnation !== incarnation);
  }

  /** Throws NotifyRefusal for a refusal or an invalid reply, and BusError, also for a reply from another sender. */
  async call<V extends NotifyVerb, T>(verb: V, args: NotifyInput<V>, answer: z.ZodType<T>): Promise<T> {
    const name = this.#options.name();
    if (name === undefined) throw new BusError("NOT_CONNECTED", "there is no service that asks people");
    const reply = await this.#options.bus.call(name, `${name}.${verb}`, args, { timeoutMs: this.#options.callMs });
    // The broker itself replies, with another sender or none, if the service is gone or about to be.
    if (reply.headers["from"] !== name) {
      this.onLost();
      throw new BusError("CONNECTION_LOST", replyFailure(reply)?.message ?? `the reply is not from ${name}`);
    }
    const failure = replyFailure(reply);
    if (failure !== undefined) throw new NotifyRefusal(failure.code, failure.message);
    const parsed = answer.safeParse(tryParseJson(reply.body));
    if (!parsed.success) throw new NotifyRefusal(undefined, `${name}.${verb} returned an invalid reply`);
    return parsed.data;
  }

  async #follow(topic: string, hear: (body: string) => void): Promise<void> {
    if (this.#followed.has(topic)) return;
    await this.#options.bus.subscribe(topic, ({ body }) => hear(body));
    this.#followed.add(topic);
  }
}

function incarnationOf(body: string, name: string): string | undefined {
  const service = parseRegisteredServices(tryParseJson(body))?.find((one) => one.name === name);
  if (service === undefined) return undefined;
  const incarnation: unknown = service.meta?.registration_incarnation;
  return typeof incarnation === "string" ? incarnation : "";
}
