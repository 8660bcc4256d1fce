// SPDX-License-Identifier: MIT OR Apache-2.0
// The log file as it lies there while no agentd has it.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { type Log, openLog } from "../../agentd/log/open.ts";
import type { SessionRow } from "../../agentd/log/project.ts";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import type { Place } from "../harness/place.ts";

export interface Logged {
  readonly sessions: ReadonlyMap<string, { readonly row: SessionRow; readonly entries: readonly Entry[] }>;
  /** What the log says of itself when it is looked through: nothing, when all is well. */
  readonly problems: readonly string[];
}

export async function readLogFile(place: Where): Promise<Logged> {
  const log = openLogFile(place);
  try {
    const { problems } = await log.maintenance.verify(breathe);
    return { sessions: sessionsOf(log), problems };
  } finally {
    log.close();
  }
}

/** Without looking it through. */
export function readSessions(place: Where): Logged["sessions"] {
  const log = openLogFile(place);
  try {
    return sessionsOf(log);
  } finally {
    log.close();
  }
}

export function openLogFile({ stateDirectory }: Where): Log {
  return openLog({ file: join(stateDirectory, "log.db"), clock: Date, random: randomBytes });
}

type Where = Pick<Place, "stateDirectory">;

function sessionsOf(log: Log): Logged["sessions"] {
  const sessions = new Map<string, { row: SessionRow; entries: Entry[] }>();
  let after: string | undefined;
  do {
    const list = log.sessions.list({ limit: 1000, ...(after === undefined ? {} : { after }) });
    if (list.refused) throw new Error("the list refuses its own cursor");
    for (const row of list.sessions) {
      const entries = Array.from({ length: row.last_seq }, (_, index) => log.entries.body(row.session, index + 1));
      sessions.set(row.session, { row, entries: entries.map((body) => JSON.parse(body ?? "null") as Entry) });
    }
    after = list.next;
  } while (after !== undefined);
  return sessions;
}
