// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd in the test's own process, for limits that a test must shorten and clocks that it must hold.
import { pino } from "pino";
import { BusClient, type Clock } from "../../bus-client/index.ts";
import { type Daemon, startDaemon } from "../../agentd/daemon.ts";
import type { Limits } from "../../agentd/config/limits.ts";
import { instancePaths, prepareStateDirectory } from "../../agentd/instance/paths.ts";
import type { Failpoint } from "../../agentd/failpoint.ts";
import { within } from "./deadline.ts";
import type { Place } from "./place.ts";
import { nameOf } from "./user-name.ts";

export interface DaemonHere extends AsyncDisposable {
  readonly daemon: Daemon;
  connect(name?: string | null): Promise<BusClient>;
}

export async function startDaemonHere(
  place: Place,
  options: { readonly limits?: Partial<Limits>; readonly clock?: Clock; readonly failpoint?: Failpoint } = {},
): Promise<DaemonHere> {
  const found = instancePaths(place.environment, place.home);
  if (!found.ok) throw new Error(found.reason);
  const uid = process.getuid?.() ?? -1;
  const prepared = prepareStateDirectory(found.paths, uid);
  if (!prepared.ok) throw new Error(prepared.reason);
  const daemon = await startDaemon({
    paths: found.paths,
    environment: place.environment,
    home: place.home,
    uid,
    version: "0.0.0-test",
    logger: pino({ level: "silent" }),
    ...options,
  });
  await within(20_000, "agentd did not come up", daemon.ready);
  const clients: BusClient[] = [];
  return {
    daemon,
    async connect(name) {
      const client = new BusClient({ url: daemon.busUrl(), ...nameOf(name) });
      clients.push(client);
      await client.connect();
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.stop()));
      await within(60_000, "agentd did not stop", daemon.stop("the test is over"));
    },
  };
}
