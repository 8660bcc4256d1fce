// SPDX-License-Identifier: MIT OR Apache-2.0
// Connection for verbs that act or subscribe: a registered client that reconnects when its connection drops.
import { BusClient, BusError, discoverBus, type BusClientState, type Transport } from "../../bus-client/index.ts";
import { keepIfAgentd, requestsOn, type AgentBus } from "../../agent-client/requests/ask.ts";
import { citizenName } from "../../agent-client/requests/citizen-name.ts";
import type { CitizenKind, ConnectOptions, Context } from "../process/context.ts";
import { startAgentd } from "./autostart.ts";
import { findBus, surroundingsOf, warnOnce, type Warn } from "./find-bus.ts";
import { ownError } from "../process/mix-error.ts";
import type { Output } from "../process/output.ts";
import { runningAgentdPid } from "../daemon/unreachable-reason.ts";

/** Throws UNREACHABLE if there is no Bus or, unless the target is `bus`, no agentd on it. */
export async function connectCitizen(context: Context, output: Output, how: ConnectOptions): Promise<AgentBus> {
  const warn = warnOnce(output);
  const found = await connect(context, warn, how.kind);
  const usable = how.target === "bus" ? found : await keepIfAgentd(found);
  return usable ?? startAgentd(context, output, how, async () => keepIfAgentd(await connect(context, warn, how.kind)));
}

async function connect(context: Context, warn: Warn, kind: CitizenKind = "mix"): Promise<AgentBus | undefined> {
  const found = await findBus(context, warn);
  if (found === undefined) return undefined;
  let first = found.dialled;
  const url = async (): Promise<string | Transport> => {
    const transport = first;
    first = undefined;
    return transport ?? discoverUrl();
  };
  // Discovered again for each reconnection: the daemon may be back at another address, and a stranger listen at the old
  // one.
  const discoverUrl = async (): Promise<string> => {
    const now = await discoverBus(surroundingsOf(context));
    if (now.found === "none") throw new BusError("DIAL_FAILED", "the Bus is no longer found");
    return now.url;
  };
  const name = citizenName(kind, context.env["AGENTD_SESSION"], context.random);
  const client = new BusClient({ url, name, provenance: provenance(context), retryMsMax });
  // A Bus that is not agentd's own may be restarted by whoever runs it. agentd may return while its process lives.
  const isOthersBus = found.location.found !== "embedded";
  const mayComeBack = (): boolean =>
    (isOthersBus && client.state.kind !== "connected") || runningAgentdPid(context) !== undefined;
  const createReader = (): BusClient => new BusClient({ url: discoverUrl, retryMsMax });
  return (await connectOnce(client)) ? toAgentBus(client, mayComeBack, createReader) : undefined;
}

/** Short, since a person is waiting for the command. */
const retryMsMax = 2_000;

/** Makes one attempt to connect. Once it has succeeded, the client reconnects by itself until it leaves. */
async function connectOnce(client: BusClient): Promise<boolean> {
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
    throw ownError("UNREACHABLE", `the Bus refused the registration: ${settled.cause.message}`, settled.cause);
  }
  return false;
}

function toAgentBus(client: BusClient, mayComeBack: () => boolean, another: () => BusClient): AgentBus {
  let second: Promise<BusClient> | undefined;
  const reader = (): Promise<BusClient> => {
    const connecting = (second ??= connectReader(another()));
    // The next call tries again.
    connecting.catch(() => (second = undefined));
    return connecting;
  };
  return {
    client,
    mayComeBack,
    reader,
    ...requestsOn(client),
    close: async () => {
      const reading = await second?.catch(() => undefined);
      await Promise.all([client.leave(), reading?.leave()]);
    },
  };
}

async function connectReader(client: BusClient): Promise<BusClient> {
  if (await connectOnce(client)) return client;
  throw ownError("UNREACHABLE", "the Bus did not accept a second connection");
}

function provenance(context: Context): Record<string, unknown> {
  return { binary: "mix", version: context.version, pid: process.pid };
}
