// SPDX-License-Identifier: MIT OR Apache-2.0
// How much a caller of the service `agent` may ask for at once, and how much it is given at once. `agent.status` lists
// these with the bounds of the daemon.

const KiB = 1024;
const MiB = 1024 * KiB;

export const callLimits = {
  /** UTF-8 bytes of a prompt as JSON: with the rest of its command it fits a frame of the Bus, which has 8 MiB. */
  promptBytesMax: 6 * MiB,
  promptBlocksMax: 256,
  additionalDirectoriesMax: 64,
  mcpServersMax: 64,
  passedEnvironmentMax: 256,
  /** UTF-16 units of an option's name, and of a value for it: agents offer no longer ones. */
  optionCharactersMax: 1024,
  waitTimeoutMsMax: 50_000,
  /** UTF-8 bytes of what a form is answered with, as JSON. */
  formContentBytesMax: 256 * KiB,

  /** UTF-8 bytes of an open question as JSON; a longer one is listed without its longest parts. */
  questionBytesMax: 256 * KiB,
  /** Of all that are listed at once; more come each with less, and the last not at all. */
  questionsBytesMax: 4 * MiB,

  /** UTF-8 bytes of a session as JSON without its open questions: its longest parts are empty where it would have more. */
  snapshotBytesMax: 2 * MiB,

  /** UTF-16 units of a session's title where sessions are listed; agents write them. The log has it whole. */
  titleCharactersMax: 256,
  sessionsPerPageDefault: 100,
  sessionsPerPageMax: 1000,
  entriesPerPageDefault: 1000,
  entriesPerPageMax: 10_000,
  /** A page has one entry all the same. */
  pageBytesMax: 4 * MiB,
  /** A longer entry appears in a page by its size alone. */
  entryBytesMax: 1 * MiB,
  pieceBytesMax: 1 * MiB,
  fullestSessionsDefault: 20,
  fullestSessionsMax: 100,

  /** Bytes of UTF-8. Of shorter ones the hash is as good as the secret, and they are words that stand everywhere. */
  secretBytesMin: 4,
  /** Each place in the log costs a hash of so many bytes. A key file has some 4 KiB. */
  secretBytesMax: 8 * KiB,
  /** UTF-8 bytes of an answer that outlives its purged session; of a longer one is kept that there was one. */
  receiptBodyBytesMax: 4 * KiB,
} as const;
