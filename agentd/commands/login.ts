// SPDX-License-Identifier: MIT OR Apache-2.0
import { unknownAgentMessage } from "../catalogue/catalogue.ts";
import { instanceSession } from "../vocabulary/index.ts";
import { type Handler, refuse } from "./call.ts";
import { postToSession } from "./post-command.ts";

export const login: Handler<"agent.login", "catalogue" | "mailbox" | "callers"> = (instance, call) => {
  const { agent } = call.args;
  const catalogue = instance.catalogue();
  if (!catalogue.has(agent)) return refuse("AGENT_UNKNOWN", unknownAgentMessage(agent, catalogue), { agent });
  return postToSession(instance, call, instanceSession);
};
