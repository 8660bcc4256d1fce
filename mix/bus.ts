// SPDX-License-Identifier: MIT OR Apache-2.0
// The way to the Bus: find it, register, ask agentd, and turn every refusal into one error.
import { BusClient, BusError, discoverAndDial, discoverBus, replyFailure } from "../bus-client/index.ts";
import type { BusClientState, DialledBus, Reply, Surroundings, Transport } from "../bus-client/index.ts";
import type { Verb, VerbInput } from "../agentd/vocabulary/verbs.ts";
import type { AgentReplies } from "./agent-replies.ts";
import type { Context } from "./context.ts";
import { MixError, ownError } from "./mix-error.ts";
import type { Output } from "./output.ts";

/** `agentd` starts one where none runs; `running-agentd` never does; `bus` needs no agentd at all. */
export type Connecting = "agentd" | "running-agentd" | "bus";

/**
 * A `citizen` has a name, by which the log knows who acted. A `reader` has none and looks for nothing first: its first
 * question shows whether agentd is there, so that a short command waits for one answer alone.
 */
export type Role = "citizen" | "reader";

export interface ConnectOptions {
  readonly connecting: Connecting;
  readonly role: Role;
  readonly autostart: boolean;
}

export interface CallOptions {
  /** Without it the Bus's own limit of 60 s. */
  readonly timeoutMs?: number;
  /** Raw body instead of arguments. */
  readonly body?: string;
}

export interface AgentBus {
  readonly client: BusClient;
  /** A connection of its own for what is read while the first may be flooded. */
  readonly reader: () => Promise<BusClient>;
  /** Any service. Throws for what rc 10 and more says, and where the Bus fails. */
  readonly call: (service: string, command: string, args?: object, options?: CallOptions) => Promise<Reply>;
  /** agentd; the reply's body. */
  readonly ask: <V extends Verb>(verb: V, args: VerbInput<V>) => Promise<AgentReplies[V]>;
  readonly close: () => Promise<void>;
}

/**
 * Throws UNREACHABLE where there is no Bus, or (unless `bus` is all that is needed) no agentd on it; for a reader the
 * latter comes from its first `ask`.
 */
export async function connectBus(context: Context, output: Output, how: ConnectOptions): Promise<AgentBus> {
  const warn = toldOnce(output);
  const found = await connected(context, warn, how.role);
  if (found !== undefined) {
    if (how.connecting === "bus") return found;
    if (how.role === "reader") return readingBus(found, () => startedAgentd(context, output, warn, how));
    if (await hasAgentd(found.client)) return found;
    await found.close();
  }
  return startedAgentd(context, output, warn, how);
}

/** Says each warning once, however often the Bus is looked for. */
function toldOnce(output: Output): Warn {
  const told = new Set<string>();
  return (warning) => {
    if (told.has(warning)) return;
    told.add(warning);
    output.notice(`warning: ${warning}`);
  };
}

type Warn = (warning: string) => void;

/** Where no agentd was found: starts one and connects to it, or throws what is to be told instead. */
async function startedAgentd(context: Context, output: Output, warn: Warn, how: ConnectOptions): Promise<AgentBus> {
  if (how.connecting === "bus")
    throw ownError("UNREACHABLE", "no Bus answers; `mix bus` runs one, and so does `agentd`");
  if (how.connecting === "running-agentd") throw ownError("UNREACHABLE", "agentd is not running");
  if (!how.autostart) {
    throw ownError(
      "UNREACHABLE",
      "agentd is not running, and starting it was ruled out; start `agentd`, or leave out --no-autostart",
    );
  }
  const { autostart } = await import("./autostart.ts");
  return autostart(context, output, () => agentdOnBus(context, warn, how.role));
}

/** A Bus with agentd on it, or undefined; never starts one. */
async function agentdOnBus(context: Context, warn: Warn, role: Role): Promise<AgentBus | undefined> {
  const bus = await connected(context, warn, role);
  if (bus === undefined || (await hasAgentd(bus.client))) return bus;
  await bus.close();
  return undefined;
}

/** Takes agentd to be there, as it mostly is. Where the first question finds that it is not, `start` brings another Bus. */
function readingBus(found: AgentBus, start: () => Promise<AgentBus>): AgentBus {
  let bus = found;
  let isFirst = true;
  return {
    get client() {
      return bus.client;
    },
    reader: () => bus.reader(),
    call: (...asked) => bus.call(...asked),
    ask: async (verb, args) => {
      if (!isFirst) return bus.ask(verb, args);
      const reply = await answered(bus.client, "agent", verb, args);
      isFirst = false;
      if (!isAgentdAbsent(reply)) return JSON.parse(accepted("agent", reply).body) as AgentReplies[typeof verb];
      await bus.close();
      bus = await start();
      return bus.ask(verb, args);
    },
    close: () => bus.close(),
  };
}

/** Asks any service on a connection; throws one `MixError` for a refusal, a missing service or a Bus that fails. */
export async function callOn(
  client: BusClient,
  service: string,
  command: string,
  args?: object,
  options?: CallOptions,
): Promise<Reply> {
  return accepted(service, await answered(client, service, command, args, options));
}

async function answered(
  client: BusClient,
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

function accepted(service: string, reply: Reply): Reply {
  const failure = replyFailure(reply);
  if (failure === undefined) return reply;
  throw refusal(service, reply, failure);
}

export async function askOn<V extends Verb>(client: BusClient, verb: V, args: VerbInput<V>): Promise<AgentReplies[V]> {
  const reply = await callOn(client, "agent", verb, args);
  return JSON.parse(reply.body) as AgentReplies[V];
}

/** `mix-<6 random>`; a session's own agent is named after its session, so that agentd knows it. */
function citizenName(env: Context["env"], random: () => number): string {
  const session = /^[a-z2-7]{12}\/([a-z2-7]{12})$/.exec(env["AGENTD_SESSION"] ?? "")?.[1];
  return session === undefined ? `mix-${letters(6, random)}` : `mcp-s-${session}-${letters(4, random)}`;
}

/** Undefined where no Bus is found, or none answers where it should be. */
async function connected(context: Context, warn: Warn, role: Role): Promise<AgentBus | undefined> {
  const surroundings = { env: context.env, uid: context.uid, home: context.home };
  const { location, dialled } = await discovered(surroundings);
  for (const warning of location.warnings) warn(warning);
  if (location.found === "none" || dialled instanceof BusError) return undefined;
  let first = dialled;
  const url = async (): Promise<string | Transport> => {
    const transport = first;
    first = undefined;
    return transport ?? nowAt();
  };
  // Looked up anew at each reconnection: a daemon that comes back may stand elsewhere, and a stranger where it stood.
  const nowAt = async (): Promise<string> => {
    const now = await discoverBus(surroundings);
    if (now.found === "none") throw new BusError("DIAL_FAILED", "the Bus that was here is away");
    return now.url;
  };
  const named = { name: citizenName(context.env, context.random), provenance: provenance(context) };
  const client = new BusClient({ url, ...(role === "citizen" ? named : {}) });
  return (await up(client)) ? agentBus(client, () => new BusClient({ url: nowAt })) : undefined;
}

async function discovered(surroundings: Surroundings): Promise<DialledBus> {
  try {
    return await discoverAndDial(surroundings);
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    throw ownError("UNREACHABLE", `MIXOS_NODED_URL: ${error.message}`, error);
  }
}

/** One attempt to connect; a client that is up goes on to reconnect for as long as it is not stopped. */
async function up(client: BusClient): Promise<boolean> {
  const settled = await new Promise<BusClientState>((resolve) => {
    const stop = client.onState((state) => {
      if (state.kind === "connecting") return;
      stop();
      resolve(state);
    });
    client.start();
  });
  if (settled.kind === "connected") return true;
  await client.leave();
  if (settled.kind === "disconnected" && settled.cause.code === "REGISTRATION_REFUSED") {
    throw ownError("UNREACHABLE", `the Bus does not let us in: ${settled.cause.message}`, settled.cause);
  }
  return false;
}

/** What the broker says by itself has no code. */
function isAgentdAbsent(reply: Reply): boolean {
  const failure = replyFailure(reply);
  return failure?.code === undefined && failure?.message === "Service 'agent' not found";
}

function agentBus(client: BusClient, another: () => BusClient): AgentBus {
  let second: Promise<BusClient> | undefined;
  const reader = (): Promise<BusClient> => {
    second ??= connectedReader(another());
    return second;
  };
  return {
    client,
    reader,
    call: (service, command, args, options) => callOn(client, service, command, args, options),
    ask: (verb, args) => askOn(client, verb, args),
    close: async () => {
      const reading = await second?.catch(() => undefined);
      await Promise.all([client.leave(), reading?.leave()]);
    },
  };
}

async function connectedReader(client: BusClient): Promise<BusClient> {
  if (await up(client)) return client;
  throw ownError("UNREACHABLE", "the Bus does not answer a second connection");
}

async function hasAgentd(client: BusClient): Promise<boolean> {
  const reply = await callOn(client, "noded", "noded.list");
  return registeredServices(reply.body).some(({ name }) => name === "agent");
}

export interface RegisteredService {
  readonly name: string;
  readonly version?: string;
  readonly pid?: number;
  readonly started_at?: string;
  readonly meta?: { readonly registration_incarnation?: string };
}

/** What `noded.list` answers; older brokers list names alone. */
export function registeredServices(body: string): readonly RegisteredService[] {
  const listed: unknown = JSON.parse(body);
  if (!Array.isArray(listed)) return [];
  return listed.map((one: unknown) => (typeof one === "string" ? { name: one } : (one as RegisteredService)));
}

/** A failure of the Bus as an error for people; anything else as it is. */
export function asMixError(error: unknown, service = "the Bus"): unknown {
  if (!(error instanceof BusError)) return error;
  if (error.code === "TIMEOUT") return ownError("TIME_LIMIT", `${service} did not answer in time`, error);
  if (error.code === "OVERLOADED") return ownError("UNREACHABLE", `${service} is overloaded; try again`, error);
  return ownError("UNREACHABLE", `the Bus went away (${error.message})`, error);
}

// The broker's own failures have a text and no code; a service that leaves is UNAVAILABLE.
function refusal(service: string, reply: Reply, failure: { code: string | undefined; message: string }): MixError {
  const details = objectOf(reply.body);
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

function objectOf(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

function provenance(context: Context): Record<string, unknown> {
  return { binary: "mix", version: context.version, pid: process.pid };
}

function letters(count: number, random: () => number): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  return Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
}
