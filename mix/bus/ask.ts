// SPDX-License-Identifier: MIT OR Apache-2.0
// Asking over the Bus: every refusal, a missing service and a Bus that fails become one error.
import { BusError, registeredServices, replyFailure } from "../../bus-client/index.ts";
import type { BusClient, Caller, RegisteredService, Reply } from "../../bus-client/index.ts";
import type { Verb, VerbInput } from "../../agentd/vocabulary/verbs.ts";
import type { AgentReplies } from "./agent-replies.ts";
import { parseJson } from "../../json/raw-json.ts";
import { MixError, ownError, usageError } from "../process/mix-error.ts";

/** `agentd` starts one where none runs; `running-agentd` never does; `bus` needs no agentd at all. */
export type ConnectTarget = "agentd" | "running-agentd" | "bus";

export interface ConnectOptions {
  readonly target: ConnectTarget;
  readonly autostart: boolean;
}

export interface CallOptions {
  /** Without it the Bus's own limit of 60 s. */
  readonly timeoutMs?: number;
  /** Raw body instead of arguments. */
  readonly body?: string;
}

/** For who only asks: it has no name, and hears nothing but answers. */
export interface ReadingBus {
  /** Any service. Throws for what rc 10 and more says, and where the Bus fails. */
  readonly call: (service: string, command: string, args?: object, options?: CallOptions) => Promise<Reply>;
  /** agentd; the reply's body. */
  readonly ask: <V extends Verb>(verb: V, args: VerbInput<V>) => Promise<AgentReplies[V]>;
  readonly close: () => Promise<void>;
}

/** For a citizen: it has a name, by which the log knows who acted, and may listen. */
export interface AgentBus extends ReadingBus {
  readonly client: BusClient;
  /** Whether the Bus or agentd, where it is away, can come back without anybody's doing. */
  readonly mayComeBack: () => boolean;
  /** A connection of its own for what is read while the first may be flooded. */
  readonly reader: () => Promise<BusClient>;
}

/** What questions are asked over. */
export type BusCaller = Pick<Caller, "call">;

/** Asks any service on a connection; throws one `MixError` for a refusal, a missing service or a Bus that fails. */
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
    throw asMixError(error, service);
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

/** What the broker says by itself has no code. */
export function isAgentdAbsent(reply: Reply): boolean {
  const failure = replyFailure(reply);
  return failure?.code === undefined && failure?.message === "Service 'agent' not found";
}

export async function hasAgentd(client: BusCaller): Promise<boolean> {
  return (await servicesOn(client)).some(({ name }) => name === "agent");
}

/** Who is on the Bus. Throws as `callOn` does. */
export async function servicesOn(client: BusCaller): Promise<readonly RegisteredService[]> {
  const reply = await callOn(client, "noded", "noded.list");
  return registeredServices(JSON.parse(reply.body)) ?? [];
}

/** A failure of the Bus as an error for people; anything else as it is. */
export function asMixError(error: unknown, service = "the Bus"): unknown {
  if (!(error instanceof BusError)) return error;
  if (error.code === "TIMEOUT") return ownError("TIME_LIMIT", `${service} did not answer in time`, error);
  if (error.code === "OVERLOADED") return ownError("UNREACHABLE", `${service} is overloaded; try again`, error);
  if (error.code === "UNSERIALISABLE") return usageError(`this cannot be sent (${error.message})`);
  return ownError("UNREACHABLE", `the Bus went away (${error.message})`, error);
}

// The broker's own failures have a text and no code; a service that leaves is UNAVAILABLE.
function refusal(service: string, reply: Reply, failure: { code: string | undefined; message: string }): MixError {
  const details = parseObject(reply.body);
  const code = typeof details["error_code"] === "string" ? details["error_code"] : failure.code;
  const message = typeof details["message"] === "string" ? details["message"] : failure.message;
  if (code !== undefined && code !== "UNAVAILABLE") return new MixError(code, message, { details });
  if (service === "agent" && (code === "UNAVAILABLE" || brokerFailure.test(failure.message))) {
    return ownError("UNREACHABLE", `agentd went away (${failure.message})`);
  }
  if (/^Service '.*' not found$/.test(failure.message)) {
    return ownError("SERVICE_UNKNOWN", `no service ${service} on the Bus; \`mix services\` lists them`);
  }
  return new MixError(code ?? "CALL_FAILED", failure.message, { details: { ...details, rc: reply.rc } });
}

const brokerFailure = /^Service '.*' (not found|disconnected|overloaded)/;

function parseObject(body: string): Record<string, unknown> {
  try {
    const value = parseJson(body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
