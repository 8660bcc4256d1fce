// SPDX-License-Identifier: MIT OR Apache-2.0
// Connects verbs that only read to the Bus, without a registered name and without reconnection. Assumes that agentd is
// there, so that a short command waits for a single reply.
import { BusError, Caller, dial, type Transport } from "../../bus-client/index.ts";
import { parseJson } from "../../json/raw-json.ts";
import type { AgentReplies } from "../../agent-client/requests/agent-replies.ts";
import {
  callUnchecked,
  checkReply,
  isAgentdAbsent,
  keepIfAgentd,
  requestsOn,
} from "../../agent-client/requests/ask.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import type { ConnectOptions, Context } from "../process/context.ts";
import { startAgentd } from "./autostart.ts";
import { findBus, warnOnce, type Warn } from "./find-bus.ts";
import type { Output } from "../process/output.ts";

/** Throws UNREACHABLE if there is no Bus. If agentd is not on it, the first `ask` throws. */
export async function connectReader(context: Context, output: Output, how: ConnectOptions): Promise<ReadingBus> {
  const warn = warnOnce(output);
  const find = async (): Promise<ReadingBus | undefined> => {
    const caller = await connected(context, warn);
    return caller && keepIfAgentd(busOf(caller));
  };
  const start = (): Promise<ReadingBus> => startAgentd(context, output, how, find);
  const caller = await connected(context, warn);
  return caller === undefined ? start() : trustingBus(caller, start);
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

function busOf(caller: Caller): ReadingBus {
  return { ...requestsOn(caller), close: () => caller.leave() };
}

/** Assumes that agentd is there. If the first request shows otherwise, continues on the Bus that `start` returns. */
function trustingBus(caller: Caller, start: () => Promise<ReadingBus>): ReadingBus {
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
      bus = await start();
      return bus.ask(verb, args);
    },
    close: () => bus.close(),
  };
}
