// SPDX-License-Identifier: MIT OR Apache-2.0
// The way to the Bus: where it is, and what is done where there is none, or no agentd on it.
import { BusError, discoverAndDial, discoverBus, embeddedSocketPath, unixUrl } from "../../bus-client/index.ts";
import type { BusLocation, DialledBus, Surroundings, Transport } from "../../bus-client/index.ts";
import type { ConnectOptions } from "../bus/ask.ts";
import type { Context } from "../process/context.ts";
import { ownError } from "../process/mix-error.ts";
import type { Output } from "../process/output.ts";

/** Says each warning once, however often the Bus is looked for. */
export function toldOnce(output: Output): Warn {
  const told = new Set<string>();
  return (warning) => {
    if (told.has(warning)) return;
    told.add(warning);
    output.notice(`warning: ${warning}`);
  };
}

export type Warn = (warning: string) => void;

/** Where a Bus is, and the connection that showed it, where there is one. */
export interface FoundBus {
  readonly location: Exclude<BusLocation, { readonly found: "none" }>;
  readonly dialled: Transport | undefined;
}

/** Undefined where no Bus is found, or none answers where it should be. */
export async function findBus(context: Context, warn: Warn): Promise<FoundBus | undefined> {
  const { location, dialled } = await discovered(surroundingsOf(context));
  for (const warning of location.warnings) warn(warning);
  return location.found === "none" || dialled instanceof BusError ? undefined : { location, dialled };
}

/** Where agentd of this user is to be met: also where nobody listens now. */
export async function busAddress(context: Context): Promise<string> {
  const location = await discoverBus(surroundingsOf(context));
  return location.found === "none" ? unixUrl(embeddedSocketPath(context)) : location.url;
}

export function surroundingsOf({ env, uid, home }: Context): Surroundings {
  return { env, uid, home };
}

async function discovered(surroundings: Surroundings): Promise<DialledBus> {
  try {
    return await discoverAndDial(surroundings);
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    throw ownError("UNREACHABLE", `MIXOS_NODED_URL: ${error.message}`, error);
  }
}

/** Where no agentd was found: starts one and looks for it with `find`, or throws what is to be told instead. */
export async function startedAgentd<Bus>(
  context: Context,
  output: Output,
  how: ConnectOptions,
  find: () => Promise<Bus | undefined>,
): Promise<Bus> {
  if (how.connecting === "bus")
    throw ownError("UNREACHABLE", "no Bus answers; `mix bus` runs one, and so does `agentd`");
  const { runningHolder, whyUnheard, whyUnheardForGood } = await import("../daemon/unreachable-reason.ts");
  if (how.connecting === "running-agentd") {
    throw ownError("UNREACHABLE", whyUnheard(context) ?? "agentd is not running");
  }
  if (!how.autostart) {
    throw ownError(
      "UNREACHABLE",
      whyUnheard(context) ??
        "agentd is not running, and starting it was ruled out; start `agentd`, or leave out --no-autostart",
    );
  }
  const unheard = whyUnheardForGood(context);
  if (unheard !== undefined) throw ownError("UNREACHABLE", unheard);
  const { autostart, awaitedAgentd } = await import("./autostart.ts");
  const running = runningHolder(context);
  const awaited = running === undefined ? undefined : await awaitedAgentd(context, output, running, find);
  return awaited ?? autostart(context, output, find);
}
