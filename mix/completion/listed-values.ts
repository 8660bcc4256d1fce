// SPDX-License-Identifier: MIT OR Apache-2.0
// Sessions, agents, requests and the like as candidates of completion, asked over the Bus.
import type { SessionSummary } from "../../agentd/vocabulary/replies.ts";
import { printableLine } from "../../display/printable.ts";
import { servicesOn } from "../bus/ask.ts";
import type { ReadingBus } from "../bus/ask.ts";
import { endedPhases, livePhases } from "../bus/vocabulary-values.ts";
import { listAsks } from "../questions/notify-asks.ts";
import type { Candidate, Listed } from "./candidates.ts";

export async function listedValues(bus: ReadingBus, what: Listed): Promise<readonly Candidate[]> {
  switch (what) {
    case "agents": {
      const { agents } = await bus.ask("agent.list", {});
      return agents.map(({ agent, installed }) => ({ value: agent, about: installed ? "" : "not installed" }));
    }
    case "live sessions":
      return sessionValues(bus, { state: livePhases });
    case "ended sessions":
      return sessionValues(bus, { state: endedPhases });
    case "all sessions":
      return sessionValues(bus, {});
    case "permissions": {
      const { requests } = await bus.ask("agent.permission.list", {});
      return requests.map(({ request, tool_call: { title } }) => ({ value: request, about: title ?? "" }));
    }
    case "elicitations": {
      const { requests } = await bus.ask("agent.elicitation.list", {});
      return requests.map(({ request, message }) => ({ value: request, about: message }));
    }
    case "services":
      return (await servicesOn(bus)).map(({ name }) => ({ value: name }));
    case "asks":
      return (await listAsks(bus, { state: "open" })).map(({ ask, title }) => ({ value: ask, about: title }));
  }
}

/** The newest ones alone: one page answers in time, however many there are. */
async function sessionValues(bus: ReadingBus, filter: { readonly state?: SessionSummary["state"][] }) {
  const { sessions } = await bus.ask("agent.session.list", { ...filter, limit: sessionsMax });
  return sessions.flatMap(({ session, name, agent, state, title }) => {
    const about = [agent, state, title].filter((word) => word !== undefined).join(", ");
    return [...(name === undefined ? [] : [{ value: name, about }]), { value: session, about }];
  });
}

const sessionsMax = 200;

/**
 * A line for the shell's script. Undefined for a value that would not come back as it is: with a control character, or
 * another that is not seen.
 */
export function candidateLine({ value, about = "" }: Candidate): string | undefined {
  if (value === "" || printableLine(value) !== value) return undefined;
  const words = printableLine(about);
  return `${value}\t${words.length > aboutMax ? `${words.slice(0, aboutMax)}…` : words}`;
}

/** UTF-16 units. */
const aboutMax = 80;
