// SPDX-License-Identifier: MIT OR Apache-2.0
// Limits of one call to the service `agent`, and of its reply. `agent.status` lists them with the daemon's own limits.

const KiB = 1024;
const MiB = 1024 * KiB;

export const callLimits = {
  /** UTF-8 bytes of a prompt as JSON. With the rest of its command it fits a frame of the Bus, at most 8 MiB. */
  promptBytesMax: 6 * MiB,
  promptBlocksMax: 256,
  additionalDirectoriesMax: 64,
  mcpServersMax: 64,
  passedEnvironmentMax: 256,
  /** UTF-16 code units of an option's name, and of its value: the limit of every identifier from an agent. */
  optionCharactersMax: 1024,
  waitTimeoutMsMax: 50_000,
  /** UTF-8 bytes of a form's content as JSON. */
  formContentBytesMax: 256 * KiB,

  /** UTF-8 bytes of a pending request as JSON. A larger one is listed without its longest members. */
  questionBytesMax: 256 * KiB,
  /** UTF-8 bytes of all requests of one list. Beyond it, each is shortened further, and the last ones are omitted. */
  questionsBytesMax: 4 * MiB,

  /** UTF-8 bytes of a session as JSON, without its pending requests. Beyond it, the longest members are emptied. */
  snapshotBytesMax: 2 * MiB,

  /** UTF-16 code units of a session's title in a list of sessions. The log has the full title. */
  titleCharactersMax: 256,
  sessionsPerPageDefault: 100,
  sessionsPerPageMax: 1000,
  entriesPerPageDefault: 1000,
  entriesPerPageMax: 10_000,
  /** A page has at least one entry, even if that is larger. */
  pageBytesMax: 4 * MiB,
  /** A page lists a larger entry without its content, as a TruncatedEntry. */
  entryBytesMax: 1 * MiB,
  pieceBytesMax: 1 * MiB,
  fullestSessionsDefault: 20,
  fullestSessionsMax: 100,

  /** UTF-8 bytes. A shorter secret is easily guessed from its hash, and occurs everywhere by chance. */
  secretBytesMin: 4,
  /** A redaction hashes this many bytes at each position of the log. A key file has about 4 KiB. */
  secretBytesMax: 8 * KiB,
  /** UTF-8 bytes of a receipt's reply that a purge leaves. A longer one is replaced by a note that it was purged. */
  receiptBodyBytesMax: 4 * KiB,
} as const;
