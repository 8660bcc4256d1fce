// SPDX-License-Identifier: MIT OR Apache-2.0
import { livePhases } from "../../agentd/vocabulary/entries.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import { listSessions } from "../../agent-client/requests/sessions.ts";
import { nameOrId } from "../view/next-step.ts";

/** What people call the live sessions, by id. */
export async function sessionNames(bus: Pick<ReadingBus, "ask">): Promise<ReadonlyMap<string, string>> {
  const sessions = await listSessions(bus, { state: [...livePhases] });
  return new Map(sessions.map((one) => [one.session, nameOrId(one)]));
}
