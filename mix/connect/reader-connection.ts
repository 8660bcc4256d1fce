// SPDX-License-Identifier: MIT OR Apache-2.0
// The Bus for a verb that only reads. It looks for nothing first: its first question shows whether agentd is there, so
// that a short command waits for one answer alone, and it has nothing of a client that names itself and comes back.
import { BusError, Caller, dial } from "../../bus-client/index.ts";
import type { Transport } from "../../bus-client/index.ts";
import { parseJson } from "../../json/raw-json.ts";
import type { AgentReplies } from "../bus/agent-replies.ts";
import { checkReply, callUnchecked, askOn, callOn, hasAgentd, isAgentdAbsent } from "../bus/ask.ts";
import type { ConnectOptions, ReadingBus } from "../bus/ask.ts";
import type { Context } from "../process/context.ts";
import { startAgentd } from "./autostart.ts";
import { findBus, warnOnce } from "./find-bus.ts";
import type { Warn } from "./find-bus.ts";
import type { Output } from "../process/output.ts";

/** Throws UNREACHABLE where there is no Bus; that no agentd is on it comes from the first `ask`. */
export async function connectReader(context: Context, output: Output, how: ConnectOptions): Promise<ReadingBus> {
  const warn = warnOnce(output);
  const start = (): Promise<Caller> => startAgentd(context, output, how, () => agentdOnBus(context, warn));
  const caller = await connected(context, warn);
  return caller === undefined ? busOf(await start()) : trustingBus(caller, start);
}

async function connected(context: Context, warn: Warn): Promise<Caller | undefined> {
  const bus = await findBus(context, warn);
  if (bus === undefined) return undefined;
  const transport = bus.dialled ?? (await dialled(bus.location.url));
  return transport === undefined ? undefined : new Caller(transport);
}

async function dialled(url: string): Promise<Transport | undefined> {
  try {
    return await dial(url);
  } catch (error) {
    if (error instanceof BusError) return undefined;
    throw error;
  }
}

/** A Bus with agentd on it, or undefined; never starts one. */
async function agentdOnBus(context: Context, warn: Warn): Promise<Caller | undefined> {
  const caller = await connected(context, warn);
  if (caller === undefined || (await hasAgentd(caller))) return caller;
  await caller.leave();
  return undefined;
}

function busOf(caller: Caller): ReadingBus {
  return {
    call: (service, command, args, options) => callOn(caller, service, command, args, options),
    ask: (verb, args) => askOn(caller, verb, args),
    close: () => caller.leave(),
  };
}

/** Takes agentd to be there, as it mostly is. Where the first question finds that it is not, `start` brings another Bus. */
function trustingBus(caller: Caller, start: () => Promise<Caller>): ReadingBus {
  let bus = busOf(caller);
  let isFirst = true;
  return {
    call: (...asked) => bus.call(...asked),
    ask: async (verb, args) => {
      if (!isFirst) return bus.ask(verb, args);
      const reply = await callUnchecked(caller, "agent", verb, args);
      isFirst = false;
      if (!isAgentdAbsent(reply)) return parseJson(checkReply("agent", reply).body) as AgentReplies[typeof verb];
      await bus.close();
      bus = busOf(await start());
      return bus.ask(verb, args);
    },
    close: () => bus.close(),
  };
}
