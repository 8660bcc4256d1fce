// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the broker's own information: its host program and its registered services.
import { Caller } from "./caller.ts";
import { dial } from "./dial.ts";
import { jsonObjectIn } from "./json-object.ts";

/** A registered service. Older brokers report only the name. All other fields are claims of the service itself. */
export interface RegisteredService {
  readonly name: string;
  readonly binary?: string;
  readonly version?: string;
  readonly pid?: number;
  readonly started_at?: string;
  readonly meta?: { readonly registration_incarnation?: string; readonly build?: string };
}

/** Reads the parsed answer of `noded.list`, skipping items without a name. Undefined if it is not a list. */
export function parseRegisteredServices(listed: unknown): readonly RegisteredService[] | undefined {
  if (!Array.isArray(listed)) return undefined;
  return listed.map((one: unknown) => (typeof one === "string" ? { name: one } : one)).filter(isService);
}

function isService(one: unknown): one is RegisteredService {
  return typeof one === "object" && one !== null && "name" in one && typeof one.name === "string";
}

const answerTimeoutMs = 5_000;

/** Asks a broker which program hosts it. Undefined if it names none. Throws BusError if it cannot be asked. */
export async function askBrokerHost(url: string): Promise<string | undefined> {
  const caller = new Caller(await dial(url));
  try {
    const { body } = await caller.call("noded", "noded.info", {}, { timeoutMs: answerTimeoutMs });
    const { noded } = jsonObjectIn(body) as { readonly noded?: { readonly meta?: { readonly hosted_by?: unknown } } };
    const host = noded?.meta?.hosted_by;
    return typeof host === "string" ? host : undefined;
  } finally {
    await caller.leave();
  }
}
