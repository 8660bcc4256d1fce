// SPDX-License-Identifier: MIT OR Apache-2.0
// An agentd that dies where the test wants it to.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Limits } from "../../agentd/config/limits.ts";
import type { FailpointName } from "../../agentd/failpoint.ts";
import { BusClient } from "../../bus-client/index.ts";
import { within } from "../harness/deadline.ts";
import type { Place } from "../harness/place.ts";
import { nameOf } from "../harness/user-name.ts";

const program = fileURLToPath(new URL("./daemon.mjs", import.meta.url));

export type Reached = Readonly<Partial<Record<FailpointName, number>>>;

export interface MortalDaemon extends AsyncDisposable {
  connect(name?: string | null): Promise<BusClient>;
  /** From now on the `nth` reach of the point is its last moment. */
  arm(point: FailpointName, nth: number): Promise<void>;
  /** How often each point was reached since it was armed. */
  reached(): Promise<Reached>;
  /** SIGKILL from outside. */
  kill(): void;
  /** Resolves when it has died of SIGKILL. Rejects when it lives on or has ended in another way. */
  death(): Promise<void>;
}

type Asked = { readonly ask: "arm"; readonly point: FailpointName; readonly nth: number } | { readonly ask: "reached" };

interface Told {
  readonly told: "ready" | "arm" | "reached";
  readonly busUrl?: string;
  readonly reached?: Reached;
}

/** Resolves when it is on the Bus. */
export async function startMortalDaemon(place: Place, limits: Partial<Limits>): Promise<MortalDaemon> {
  const child = spawnDaemon(place, limits, []);
  const { busUrl } = await answerOf(child, "ready");
  const clients: BusClient[] = [];
  const ask = async (message: Asked): Promise<Told> => {
    child.send(message);
    return await answerOf(child, message.ask);
  };
  return {
    async connect(name) {
      const client = new BusClient({ url: busUrl ?? "", ...nameOf(name) });
      clients.push(client);
      await client.connect();
      return client;
    },
    async arm(point, nth) {
      await ask({ ask: "arm", point, nth });
    },
    reached: async () => (await ask({ ask: "reached" })).reached ?? {},
    kill: () => void child.kill("SIGKILL"),
    death: () => deathOf(child),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await Promise.all([...clients.map((client) => client.stop()), deathOf(child)]);
    },
  };
}

/** Starts one that is armed before it begins, and resolves when it has died of that. */
export async function dieWhileStarting(place: Place, point: FailpointName): Promise<void> {
  await deathOf(spawnDaemon(place, {}, [point, "1"]));
}

function spawnDaemon(place: Place, limits: Partial<Limits>, armed: readonly string[]): ChildProcess {
  return spawn(process.execPath, [program, JSON.stringify(limits), ...armed], {
    env: place.environment,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

async function answerOf(child: ChildProcess, told: Told["told"]): Promise<Told> {
  const answer = new Promise<Told>((resolve) => {
    child.on("message", function listen(message: Told) {
      if (message.told !== told) return;
      child.off("message", listen);
      resolve(message);
    });
  });
  const ended = once(child, "exit").then(([code, signal]: (string | number | null)[]) => {
    throw new Error(`agentd ended (${code ?? signal}) before it said ${told}`);
  });
  ended.catch(() => {});
  return await within(30_000, `agentd did not say ${told}`, Promise.race([answer, ended]));
}

async function deathOf(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    try {
      await within(20_000, "agentd lived on", once(child, "exit"));
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }
  if (child.signalCode !== "SIGKILL") throw new Error(`agentd ended by itself, with ${child.exitCode}`);
}
