// SPDX-License-Identifier: MIT OR Apache-2.0
// Calls services over the Bus. Refusals, missing services and failures of the Bus all become an `AgentError`.
import { BusError, parseRegisteredServices, replyFailure } from "../../bus-client/index.ts";
import type { BusClient, Caller, RegisteredService, Reply } from "../../bus-client/index.ts";
import type { Verb, VerbInput } from "../../agentd/vocabulary/verbs.ts";
import type { AgentReplies } from "./agent-replies.ts";
import { parseJson } from "../../json/raw-json.ts";
import { recordIn } from "../../json/record.ts";
import { AgentError, clientError } from "../agent-error.ts";

export interface CallOptions {
  /** Default: the limit of the Bus, 60 s. */
  readonly timeoutMs?: number;
  /** A raw body instead of arguments. */
  readonly body?: string;
}

/** Anonymous request-only connection: no registration, no subscriptions. */
export interface ReadingBus {
  /** Calls any service. Throws for a reply with rc >= 10 and when the Bus fails. */
  readonly call: (service: string, command: string, args?: object, options?: CallOptions) => Promise<Reply>;
  /** Calls agentd and returns the parsed body of the reply. */
  readonly ask: <V extends Verb>(verb: V, args: VerbInput<V>) => Promise<AgentReplies[V]>;
  readonly close: () => Promise<void>;
}

/** Connection of a citizen: the log records its name as the caller, and it may subscribe to topics. */
export interface AgentBus extends ReadingBus {
  readonly client: BusClient;
  /** Whether an absent Bus or agentd can come back without anybody's help. */
  readonly mayComeBack: () => boolean;
  /** A second connection, for reading while the first one may be flooded with publications. */
  readonly reader: () => Promise<BusClient>;
}

export type BusCaller = Pick<Caller, "call">;

/** Calls any service on a connection. Throws an `AgentError` for a refusal, a missing service or a failure of the Bus. */
export async function callOn(
  client: BusCaller,
  service: string,
  command: string,
  args?: object,
  options?: CallOptions,
): Promise<Reply> {
  return checkReply(service, await callUnchecked(client, service, command, args, options));
}

export async function callUnchecked(
  client: BusCaller,
  service: string,
  command: string,
  args?: object,
  options: CallOptions = {},
): Promise<Reply> {
  try {
    return await client.call(service, command, args, options);
  } catch (error) {
    throw asAgentError(error, service);
  }
}

export function checkReply(service: string, reply: Reply): Reply {
  const failure = replyFailure(reply);
  if (failure === undefined) return reply;
  throw refusal(service, reply, failure);
}

export async function askOn<V extends Verb>(client: BusCaller, verb: V, args: VerbInput<V>): Promise<AgentReplies[V]> {
  const reply = await callOn(client, "agent", verb, args);
  return parseJson(reply.body) as AgentReplies[V];
}

export function requestsOn(client: BusCaller): Pick<ReadingBus, "call" | "ask"> {
  return {
    call: (service, command, args, options) => callOn(client, service, command, args, options),
    ask: (verb, args) => askOn(client, verb, args),
  };
}

/** Recognizes the broker's own reply for a missing service: a text without a code. */
export function isAgentdAbsent(reply: Reply): boolean {
  const failure = replyFailure(reply);
  return failure?.code === undefined && failure?.message === "Service 'agent' not found";
}

export async function hasAgentd(client: BusCaller): Promise<boolean> {
  return (await servicesOn(client)).some(({ name }) => name === "agent");
}

/** Closes a connection to a Bus without agentd, and returns undefined then. */
export async function keepIfAgentd<Bus extends ReadingBus>(bus: Bus | undefined): Promise<Bus | undefined> {
  if (bus === undefined || (await hasAgentd(bus))) return bus;
  await bus.close();
  return undefined;
}

/** Throws as `callOn` does. */
export async function servicesOn(client: BusCaller): Promise<readonly RegisteredService[]> {
  const reply = await callOn(client, "noded", "noded.list");
  return parseRegisteredServices(JSON.parse(reply.body)) ?? [];
}

/** Turns a `BusError` into an `AgentError`; returns anything else unchanged. */
export function asAgentError(error: unknown, service = "the Bus"): unknown {
  if (!(error instanceof BusError)) return error;
  if (error.code === "TIMEOUT") return clientError("TIME_LIMIT", `${service} did not answer in time`, error);
  if (error.code === "OVERLOADED") return clientError("UNREACHABLE", `${service} is overloaded; try again`, error);
  if (error.code === "UNSERIALISABLE" || error.code === "FRAME_TOO_LARGE")
    return clientError("UNSERIALISABLE", `this cannot be sent (${error.message})`, error);
  return clientError("UNREACHABLE", `the Bus went away (${error.message})`, error);
}

// The broker's own failures have a text and no code. A service that is leaving replies UNAVAILABLE.
function refusal(service: string, reply: Reply, failure: { code: string | undefined; message: string }): AgentError {
  const details = recordIn(reply.body);
  const code = typeof details["error_code"] === "string" ? details["error_code"] : failure.code;
  const message = typeof details["message"] === "string" ? details["message"] : failure.message;
  if (code !== undefined && code !== "UNAVAILABLE") return new AgentError(code, message, { details });
  if (service === "agent" && (code === "UNAVAILABLE" || brokerFailure.test(failure.message))) {
    return clientError("UNREACHABLE", `agentd went away (${failure.message})`);
  }
  if (/^Service '.*' not found$/.test(failure.message)) {
    return clientError("SERVICE_UNKNOWN", `no service ${service} on the Bus`);
  }
  return new AgentError(code ?? "CALL_FAILED", failure.message, { details: { ...details, rc: reply.rc } });
}

const brokerFailure = /^Service '.*' (not found|disconnected|overloaded)/;
