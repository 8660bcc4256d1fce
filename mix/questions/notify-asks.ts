// SPDX-License-Identifier: MIT OR Apache-2.0
// Client of the service `notify`, which asks people.
import type { NotifyAsk, NotifyReplies } from "../../agentd/vocabulary/notify.ts";
import type { NotifyInput, NotifyVerb } from "../../agentd/vocabulary/notify-arguments.ts";
import { paginate } from "../../bus-client/index.ts";
import { buildWords, isSameBuild } from "../../files/installed-build.ts";
import { parseJson } from "../../json/raw-json.ts";
import { servicesOn, type AgentBus, type ReadingBus } from "../../agent-client/requests/ask.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { ownError } from "../process/mix-error.ts";
import type { Invocation } from "../input/verb.ts";
import { printableLine } from "../../display/printable.ts";

/**
 * Throws UNREACHABLE, not SERVICE_UNKNOWN, if the service is missing: it is a daemon like agentd that is not running.
 */
export async function askNotify<V extends NotifyVerb>(
  bus: Pick<ReadingBus, "call">,
  verb: V,
  args: NotifyInput<V>,
): Promise<NotifyReplies[V]> {
  try {
    return parseJson((await bus.call("notify", `notify.${verb}`, args)).body) as NotifyReplies[V];
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== "SERVICE_UNKNOWN") throw error;
    const how = "start `notifyd`, or `systemctl --user enable --now notifyd`";
    throw ownError("UNREACHABLE", `notify is not on the Bus: ${how}`, error);
  }
}

/**
 * Warns if notifyd is of another build, as an upgrade leaves it running. Ignores failures: the verb's own call reports
 * them.
 */
export async function warnOtherNotifyd({ context, output }: Invocation, bus: AgentBus): Promise<void> {
  const services = await servicesOn(bus.client).catch(() => []);
  const notifyd = services.find(({ name, binary }) => name === "notify" && binary === "notifyd");
  if (notifyd?.version === undefined) return;
  const { pid, version, meta } = notifyd;
  const running = { version, build: meta?.build };
  if (isSameBuild(running, context)) return;
  const which = printableLine(`notifyd ${buildWords(running)} (pid ${pid ?? "unknown"})`);
  const how = "`systemctl --user restart notifyd`, or stop it and start `notifyd`";
  output.notice(`${which} is running, but ${buildWords(context)} is installed: ${how}`);
}

export async function listAsks(bus: Pick<ReadingBus, "call">, filter: NotifyInput<"list">): Promise<NotifyAsk[]> {
  const asks: NotifyAsk[] = [];
  const pages = paginate({
    read: (after: string | undefined) => askNotify(bus, "list", after === undefined ? filter : { ...filter, after }),
    next: (page) => (page.more ? page.asks.at(-1)?.ask : undefined),
  });
  for await (const page of pages) asks.push(...page.asks);
  return asks;
}

/** Finds an ask by its id, or an open one by a unique prefix of its id. Throws ASK_UNKNOWN. */
export async function findAsk(bus: AgentBus, reference: string): Promise<NotifyAsk> {
  const open = await listAsks(bus, { state: "open" });
  const exact = open.find(({ ask }) => ask === reference);
  const beginning = open.filter(({ ask }) => ask.startsWith(reference));
  const [only] = beginning;
  return exact ?? (only !== undefined && beginning.length === 1 ? only : askNotify(bus, "get", { ask: reference }));
}
