// SPDX-License-Identifier: MIT OR Apache-2.0
// What a broker tells: which program hosts it, and who is on its Bus.
import { Caller } from "./caller.ts";
import { dial } from "./dial.ts";

/** Names alone with older brokers. What a service says of itself is its own word. */
export interface RegisteredService {
  readonly name: string;
  readonly binary?: string;
  readonly version?: string;
  readonly pid?: number;
  readonly started_at?: string;
  readonly meta?: { readonly registration_incarnation?: string; readonly build?: string };
}

/** What `noded.list` has answered, parsed; undefined where it is no list. What has no name in it is left out. */
export function parseRegisteredServices(listed: unknown): readonly RegisteredService[] | undefined {
  if (!Array.isArray(listed)) return undefined;
  return listed.map((one: unknown) => (typeof one === "string" ? { name: one } : one)).filter(isService);
}

function isService(one: unknown): one is RegisteredService {
  return typeof one === "object" && one !== null && "name" in one && typeof one.name === "string";
}

const answerTimeoutMs = 5_000;

/** The program that hosts a broker, by its own word; undefined where it says none. Throws BusError where it cannot be asked. */
export async function askBrokerHost(url: string): Promise<string | undefined> {
  const caller = new Caller(await dial(url));
  try {
    const { body } = await caller.call("noded", "noded.info", {}, { timeoutMs: answerTimeoutMs });
    return hostOf(body);
  } finally {
    await caller.leave();
  }
}

function hostOf(body: string): string | undefined {
  try {
    const info = JSON.parse(body) as { readonly noded?: { readonly meta?: { readonly hosted_by?: unknown } } } | null;
    const host = info?.noded?.meta?.hosted_by;
    return typeof host === "string" ? host : undefined;
  } catch {
    return undefined;
  }
}
