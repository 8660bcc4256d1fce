// SPDX-License-Identifier: MIT OR Apache-2.0
// `mix agent login`, which is also `mix agent agents login`, and what editors run for a login in a terminal: as `mix agent
// acp login`, or in place of it.
import { defaultAgent } from "../../agent-client/requests/default-agent.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { MixError } from "../process/mix-error.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { loginToAgent } from "./login-agent.ts";

export const spec: VerbSpec = {
  usage: "agent login [agent] [method]",
  about: "Logs in to an agent, in this terminal: without a name, to the one that `mix agent acp` uses.",
  flags: {},
  examples: ["mix agent login claude"],
};

export function run(invocation: Invocation): Promise<Outcome> {
  const [agent, method] = invocation.args.positionals;
  return login(invocation, agent, method);
}

export async function login(invocation: Invocation, named?: string, method?: string): Promise<Outcome> {
  const agent = named ?? defaultAgent(await (await invocation.connect("agentd")).ask("agent.list", {}));
  if (agent === undefined)
    throw new MixError("AGENT_UNAVAILABLE", "no agent is installed; mix agent setup installs one");
  return loginToAgent(invocation, agent, method);
}
