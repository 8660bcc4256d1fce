// SPDX-License-Identifier: MIT OR Apache-2.0
// Limits of one call to the service `agent`, and of its reply. `agent.status` lists them with the daemon's own limits.

/** The unit is the end of the name: `Bytes` of UTF-8, `Ms`, or else a count. The description is for people. */
export type LimitTable = Readonly<Record<string, readonly [value: number, description: string]>>;

export function limitValues<T extends LimitTable>(table: T): { readonly [Name in keyof T]: number } {
  return Object.fromEntries(Object.entries(table).map(([name, [value]]) => [name, value])) as Record<keyof T, number>;
}

const KiB = 1024;
const MiB = 1024 * KiB;

export const callTable = {
  /** With the rest of its command it fits a frame of the Bus, at most 8 MiB. */
  promptBytesMax: [6 * MiB, "the largest prompt, as JSON"],
  promptBlocksMax: [256, "content blocks in one prompt"],
  additionalDirectoriesMax: [64, "additional_dirs of one session"],
  commandWordsMax: [256, "words of a start's `command`"],
  commandBytesMax: [64 * KiB, "a start's `command`, as JSON"],
  mcpServersMax: [64, "mcp_servers of one session"],
  passedEnvironmentMax: [256, "names in `env` of one start"],
  /** The limit of every identifier from an agent. */
  optionCharactersMax: [1024, "UTF-16 units of an option's name, and of a value for it"],
  waitTimeoutMsMax: [50_000, "the longest timeout_ms of agent.session.wait"],
  formContentBytesMax: [256 * KiB, "the content of one answered form, as JSON"],
  questionBytesMax: [256 * KiB, "a pending request; a longer one is listed without its longest parts"],
  /** Beyond it, each request is shortened further, and the last ones are omitted. */
  questionsBytesMax: [4 * MiB, "pending requests in one list"],
  /** Beyond it, the longest members are emptied. */
  snapshotBytesMax: [2 * MiB, "the snapshot of a session, without its pending requests"],
  /** The log has the full title. */
  titleCharactersMax: [256, "UTF-16 units of a session's title where sessions are listed"],
  sessionsPerPageMax: [1000, "sessions in one page of agent.session.list"],
  entriesPerPageMax: [10_000, "entries in one page of agent.session.log"],
  /** A page has at least one entry, even if that is larger. */
  pageBytesMax: [4 * MiB, "one page of agent.session.log"],
  entryBytesMax: [1 * MiB, "a longer entry is listed in a page with its size only"],
  pieceBytesMax: [1 * MiB, "one piece of such an entry"],
  fullestSessionsMax: [100, "sessions that agent.log.stats lists"],
  /** A shorter secret is easily guessed from its hash, and occurs everywhere by chance. */
  secretBytesMin: [4, "the shortest secret that agent.log.redact looks for"],
  /** A redaction hashes this many bytes at each position of the log. A key file has about 4 KiB. */
  secretBytesMax: [8 * KiB, "the longest secret that agent.log.redact looks for"],
  /** A longer reply is replaced by a note that it was purged. */
  receiptBodyBytesMax: [4 * KiB, "the stored reply of a command whose session was purged"],
} satisfies LimitTable;

export const callLimits = {
  ...limitValues(callTable),
  sessionsPerPageDefault: 100,
  entriesPerPageDefault: 1000,
  fullestSessionsDefault: 20,
} as const;
