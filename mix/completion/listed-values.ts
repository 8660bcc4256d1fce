// SPDX-License-Identifier: MIT OR Apache-2.0
// Asks agentd and other services for candidates: sessions, agents, requests and asks.
import type { SessionSummary } from "../../agentd/vocabulary/replies.ts";
import { printableLine } from "../../display/printable.ts";
import { servicesOn, type ReadingBus } from "../../agent-client/requests/ask.ts";
import { endedPhases, livePhases, titleWithName } from "../../agentd/vocabulary/entries.ts";
import { listAsks } from "../questions/notify-asks.ts";
import type { Context } from "../process/context.ts";
import { sessionReference } from "../references/session-reference.ts";
import type { Candidate, Listed } from "./candidates.ts";

export async function listedValues(context: Context, bus: ReadingBus, what: Listed): Promise<readonly Candidate[]> {
  if (typeof what === "object") return optionValues(context, bus, what.optionsOf);
  switch (what) {
    case "agents": {
      const { agents } = await bus.ask("agent.list", {});
      return agents.map(({ agent, installed }) => ({ value: agent, about: installed ? "installed" : "not installed" }));
    }
    case "live sessions":
      return sessionValues(bus, { state: [...livePhases] });
    case "ended sessions":
      return sessionValues(bus, { state: [...endedPhases] });
    case "all sessions":
      return sessionValues(bus, {});
    case "permissions": {
      const { requests } = await bus.ask("agent.permission.list", {});
      return requests.map(({ request, tool_call: call }) => ({ value: request, about: titleWithName(call) ?? "" }));
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

async function optionValues(context: Context, bus: ReadingBus, word: string | undefined): Promise<Candidate[]> {
  // No message is for a shell that completes.
  const chooser = { context, output: { word: () => undefined } };
  const { options } = await bus.ask("agent.session.get", { session: await sessionReference(chooser, bus, word) });
  return options.flatMap(({ option, name, type, value, choices = [] }) => {
    const values = type === "boolean" ? [{ value: "true" }, { value: "false" }] : choices;
    return values.map((choice: { readonly value: string; readonly name?: string }) => ({
      value: `${option}=${choice.value}`,
      about: [name, choice.name, choice.value === String(value) ? "(now)" : ""].filter(Boolean).join(" "),
    }));
  });
}

/** Lists only the newest sessions, as one page comes in time however many there are. */
async function sessionValues(bus: ReadingBus, filter: { readonly state?: SessionSummary["state"][] }) {
  const { sessions } = await bus.ask("agent.session.list", { ...filter, limit: sessionsMax });
  return sessions.flatMap(({ session, name, agent, state, title }) => {
    const about = [agent, state, title].filter((word) => word !== undefined).join(", ");
    return [...(name === undefined ? [] : [{ value: name, about }]), { value: session, about }];
  });
}

const sessionsMax = 200;

/**
 * Formats a line for the completion script. Undefined for a value that the shell could not pass back unchanged, or that
 * people could not see: one with control characters or invisible characters.
 */
export function candidateLine({ value, about = "" }: Candidate): string | undefined {
  if (value === "" || printableLine(value) !== value) return undefined;
  const words = printableLine(about);
  return `${value}\t${words.length > aboutMax ? `${words.slice(0, aboutMax)}…` : words}`;
}

/** In UTF-16 code units. */
const aboutMax = 80;
