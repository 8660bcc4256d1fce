// SPDX-License-Identifier: MIT OR Apache-2.0
// A request that is closed, or open and too long to be listed whole, found in the log: the same answer with the same command
// id must be possible again, and agentd tells best who was first.
import type { ElicitationEntry, Entry, PermissionEntry } from "../../agentd/vocabulary/entries.ts";
import type { AgentBus } from "../bus/ask.ts";
import { MixError } from "../process/mix-error.ts";
import { logEntries } from "../entries/read-log.ts";

interface EntryOf {
  readonly permission: PermissionEntry;
  readonly elicitation: ElicitationEntry;
}

type RequestKind = keyof EntryOf;

export interface LoggedRequest<K extends RequestKind> {
  readonly requested: Entry & EntryOf[K];
  /** How it was answered, where it was. */
  readonly resolved?: EntryOf[K];
}

/** Throws REQUEST_UNKNOWN; `list`: the words that list the open ones. */
export async function loggedRequest<K extends RequestKind>(
  bus: AgentBus,
  request: string,
  kind: K,
  list: string,
): Promise<LoggedRequest<K>> {
  const session = /^(.+)-\d+$/.exec(request)?.[1];
  const unknown = new MixError("REQUEST_UNKNOWN", `no request ${request}; \`${list}\` lists the open ones`);
  if (session === undefined) throw unknown;
  let requested: (Entry & EntryOf[K]) | undefined;
  let resolved: EntryOf[K] | undefined;
  try {
    for await (const entry of logEntries(bus, session, 0, { kinds: [kind] })) {
      if (!isOf(entry, kind) || entry.request !== request) continue;
      if (entry.phase === "requested") requested = entry;
      if (entry.phase === "resolved") resolved = entry;
    }
  } catch (error) {
    if (error instanceof MixError && error.code === "SESSION_UNKNOWN") throw unknown;
    throw error;
  }
  if (requested === undefined) throw unknown;
  return { requested, ...(resolved === undefined ? {} : { resolved }) };
}

function isOf<K extends RequestKind>(entry: Entry, kind: K): entry is Entry & EntryOf[K] {
  return entry.kind === kind;
}
