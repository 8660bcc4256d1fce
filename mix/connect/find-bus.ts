// SPDX-License-Identifier: MIT OR Apache-2.0
import { BusError, discoverAndDial, discoverBus, embeddedSocketPath, unixUrl } from "../../bus-client/index.ts";
import type { BusLocation, DialledBus, Surroundings, Transport } from "../../bus-client/index.ts";
import type { Context } from "../process/context.ts";
import { ownError } from "../process/mix-error.ts";
import type { Output } from "../process/output.ts";

/** Shows each warning once, however often the Bus is looked for. */
export function warnOnce(output: Output): Warn {
  const warned = new Set<string>();
  return (warning) => {
    if (warned.has(warning)) return;
    warned.add(warning);
    output.notice(`warning: ${warning}`);
  };
}

export type Warn = (warning: string) => void;

/** The location of a Bus and, if discovery had to dial it, that connection. */
export interface FoundBus {
  readonly location: Exclude<BusLocation, { readonly found: "none" }>;
  readonly dialled: Transport | undefined;
}

/** Returns undefined if no Bus is found or none answers at its address. */
export async function findBus(context: Context, warn: Warn): Promise<FoundBus | undefined> {
  const { location, dialled } = await discover(surroundingsOf(context));
  for (const warning of location.warnings) warn(warning);
  return location.found === "none" || dialled instanceof BusError ? undefined : { location, dialled };
}

/** The address at which this user's agentd would be, even if nobody listens there now. */
export async function busAddress(context: Context): Promise<string> {
  const location = await discoverBus(surroundingsOf(context));
  return location.found === "none" ? unixUrl(embeddedSocketPath(context)) : location.url;
}

export function surroundingsOf({ env, uid, home }: Context): Surroundings {
  return { env, uid, home };
}

async function discover(surroundings: Surroundings): Promise<DialledBus> {
  try {
    return await discoverAndDial(surroundings);
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    throw ownError("UNREACHABLE", `MIXOS_NODED_URL: ${error.message}`, error);
  }
}
