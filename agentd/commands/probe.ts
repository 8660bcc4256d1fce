// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.probe: what can be looked up is checked before the command is logged.
import type { Answer } from "../../bus-client/index.ts";
import type { SessionCommand } from "../session/core/input.ts";
import { instanceSession } from "../vocabulary/index.ts";
import { type Call, type Handler, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { postLookedUp, toCommand } from "./post-command.ts";
import { checkAgent } from "./session-start.ts";

type Looker = Pick<Instance, "catalogue" | "places" | "passedValues" | "sessions" | "settings" | "probes">;

export const probe: Handler<"agent.probe", keyof Looker | "mailbox" | "callers"> = (instance, call) =>
  postLookedUp(instance, call, instanceSession, (caller) => {
    const refused = findRefusal(instance, call.args);
    if (refused) return refused;
    const command = toCommand(call, caller) as unknown as SessionCommand;
    return { session: instanceSession, input: { type: "command", command } };
  });

function findRefusal(instance: Looker, { agent, env }: Call<"agent.probe">["args"]): Answer | undefined {
  const unavailable = checkAgent(instance, { agent }, []);
  if (unavailable) return unavailable;
  const values = instance.passedValues(env);
  if (!values.ok) return refuse("ARGUMENT", values.message, { field: "env", name: values.name });
  const { maxSessions } = instance.settings();
  const running = instance.sessions.live().length + instance.probes.count;
  if (running < maxSessions) return undefined;
  return refuse("AGENT_LIMIT", `${running} sessions and probes are running: close one, or raise max_sessions`, {
    max_sessions: maxSessions,
  });
}
