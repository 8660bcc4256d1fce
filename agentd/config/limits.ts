// SPDX-License-Identifier: MIT OR Apache-2.0
// Every bound of the daemon, with its unit, in one list. `agent.status` gives it, so that whoever runs into a bound can
// see what it is called and how large it is.
import { callLimits } from "../vocabulary/index.ts";

export type LimitUnit = "bytes" | "ms" | "count";

/** One bound as `agent.status` shows it. `value` is null where the instance's file says "none". */
export interface Limit {
  readonly name: string;
  readonly value: number | null;
  readonly unit: LimitUnit;
  readonly description: string;
}

export type LimitName = keyof typeof table;

/** The bounds that only the code sets. What callers meet is in the vocabulary, what the instance's file sets in `Settings`. */
export type Limits = { readonly [Name in LimitName]: number };

/** What a setting of the instance's file bounds, in the words of this table. */
export interface ConfiguredLimits {
  readonly maxSessions: number;
  readonly idleTimeoutMs: number | null;
  readonly permissionTimeoutMs: number | null;
  readonly logQuotaBytes: number;
}

const KiB = 1024;
const MiB = 1024 * KiB;

const table = {
  lineBytesMax: limit(64 * MiB, "bytes", "the longest line that an agent may write"),
  messageLevelsMax: limit(512, "count", "arrays and objects within one another in a message of an agent"),
  messageValuesMax: limit(1_000_000, "count", "values in a message of an agent, those within others counted too"),
  stderrTailBytes: limit(64 * KiB, "bytes", "how much of an agent's stderr is kept"),
  queuedPromptsMax: limit(32, "count", "prompts that wait behind a running turn, for each session"),
  openRequestsMax: limit(64, "count", "permissions and elicitations open at a time, for each session"),
  openToolCallsMax: limit(
    1024,
    "count",
    "tool calls open at a time, for each session; the oldest is closed for one more",
  ),
  policyPathsMax: limit(
    64,
    "count",
    "paths of one tool call that a policy looks at; a call with more goes to a person",
  ),
  formPatternsMs: limit(
    200,
    "ms",
    "how long a form's patterns may take, in all, for one answer; else it is not accepted",
  ),
  waitsMax: limit(256, "count", "agent.session.wait calls open at a time; one more is BUSY"),
  commandsMax: limit(1024, "count", "acting commands being worked on at a time; one more is BUSY"),
  environmentValueBytesMax: limit(64 * KiB, "bytes", "one value in env/ of the state directory"),
  configBytesMax: limit(256 * KiB, "bytes", "the instance's file"),
  configSettleMs: limit(100, "ms", "quiet time after a change of the instance's file before it is read again"),

  initializeTimeoutMs: limit(60_000, "ms", "an agent's answer to initialize; agents.<name>.start_timeout overrides it"),
  openTimeoutMs: limit(60_000, "ms", "an agent's answer to session/new, session/load or session/resume"),
  requestTimeoutMs: limit(50_000, "ms", "an agent's answer to any other request; a prompt has no flat limit"),
  closeRequestTimeoutMs: limit(2_000, "ms", "stopping an agent: its answer to session/close, where offered"),
  stdinGraceMs: limit(8_000, "ms", "stopping an agent: from closing its stdin to SIGTERM"),
  termGraceMs: limit(3_000, "ms", "stopping an agent: from SIGTERM to SIGKILL of its whole tree"),
  cancelForceMs: limit(10_000, "ms", "from a cancel to the turn ending as cancelled, forced"),
  drainTimeoutMs: limit(
    10_000,
    "ms",
    "how long the late answer of a forced turn is waited for before its agent is ended",
  ),
  storeFailedGraceMs: limit(
    10_000,
    "ms",
    "how long agents' pipes pause while the log cannot be written; then all are ended",
  ),

  busToolsGraceMs: limit(
    1_000,
    "ms",
    "how long after its first turn an agent may still come to the Bus through its MCP server, before a diagnostic says that it has not",
  ),

  chunkMergeBytesMax: limit(64 * KiB, "bytes", "adjacent text chunks of one burst that become one entry"),
  freshTranscriptBytesMax: limit(64 * KiB, "bytes", "the transcript before the first prompt of `resume --fresh`"),
  extensionBytesMax: limit(64 * KiB, "bytes", "data of what an agent sent that has no name in the vocabulary"),
  clientSideRequestsMax: limit(64, "count", "file and terminal requests of an agent open at a time, for each session"),
  fileBytesMax: limit(16 * MiB, "bytes", "one file that an agent reads or writes through its client"),
  heldFileBytesMax: limit(64 * MiB, "bytes", "texts to be written that are held for the log, for each session"),
  answerBytesMax: limit(48 * MiB, "bytes", "one answer to a file or terminal request, as JSON"),
  answersBytesMax: limit(
    8 * MiB,
    "bytes",
    "texts on their way to an agent, as JSON, for each session; one more begins below it, the next wait until it has left",
  ),
  deskTurnMs: limit(
    5,
    "ms",
    "reads of files and terminals in one turn of the event loop; after that they rest for as long as they took",
  ),
  terminalsMax: limit(16, "count", "terminals of an agent that it has not released, for each session"),
  terminalTailBytes: limit(1 * MiB, "bytes", "how much of a terminal's output is kept where the agent does not say"),
  terminalTailBytesMax: limit(4 * MiB, "bytes", "how much of a terminal's output an agent can have kept"),
  terminalGraceMs: limit(1_000, "ms", "ending a terminal: from SIGTERM to SIGKILL of its whole tree"),
  terminalArgumentsMax: limit(1024, "count", "arguments of one terminal"),
  terminalVariablesMax: limit(256, "count", "variables that an agent sets for one terminal"),
  terminalTextBytesMax: limit(128 * KiB, "bytes", "a terminal's command, one of its arguments or one of its variables"),
  requestPathBytesMax: limit(4096, "bytes", "a path in a file or terminal request"),
  entriesPerCommitMax: limit(256, "count", "entries of one transaction of the log"),
  commitBytesMax: limit(1 * MiB, "bytes", "texts of one transaction of the log; one input may be longer"),
  inputsWaitingMax: limit(
    512,
    "count",
    "what agents and callers said and is not in the log yet; beyond it agents are not read until half of it is",
  ),
  storeRetryMs: limit(250, "ms", "until a log that could not be written is tried again"),
  publicationBytesMax: limit(
    1000 * KiB,
    "bytes",
    "the body of one publication; the topic takes 1 MiB with its headers",
  ),
  unansweredPublicationsMax: limit(128, "count", "publications without an answer; a broker's queue holds 256"),

  notifyCallMs: limit(5_000, "ms", "an answer of the service that asks people"),
  notifyPollMs: limit(15_000, "ms", "while people are asked: how often it is looked whether their hint was lost"),
  notifyRetryMs: limit(1_000, "ms", "until the service that asks people is tried again"),
  notifyFarewellMs: limit(2_000, "ms", "when agentd stops: until all that people are asked is taken back"),
  notifyTrackedMax: limit(2048, "count", "questions that people are asked or that have to be taken back"),

  processLogBytesMax: limit(16 * MiB, "bytes", "agentd.log before it is turned over; one older file is kept"),
  lockWaitMs: limit(250, "ms", "how long a second agentd waits for the instance's lock before it gives up"),
} as const;

type ListedCallLimit = Exclude<keyof typeof callLimits, `${string}Default`>;

const callTable: { readonly [Name in ListedCallLimit]: readonly [LimitUnit, string] } = {
  promptBytesMax: ["bytes", "the largest prompt, as JSON"],
  promptBlocksMax: ["count", "content blocks in one prompt"],
  additionalDirectoriesMax: ["count", "additional_dirs of one session"],
  mcpServersMax: ["count", "mcp_servers of one session"],
  passedEnvironmentMax: ["count", "names in `env` of one start"],
  optionCharactersMax: ["count", "UTF-16 units of an option's name, and of a value for it"],
  waitTimeoutMsMax: ["ms", "the longest timeout_ms of agent.session.wait"],
  formContentBytesMax: ["bytes", "what one form is answered with, as JSON"],
  questionBytesMax: ["bytes", "an open question; a longer one is listed without its longest parts"],
  questionsBytesMax: ["bytes", "open questions that are listed at once"],
  snapshotBytesMax: ["bytes", "a session as it is shown, without its open questions"],
  titleCharactersMax: ["count", "UTF-16 units of a session's title where sessions are listed"],
  sessionsPerPageMax: ["count", "sessions in one page of agent.session.list"],
  entriesPerPageMax: ["count", "entries in one page of agent.session.log"],
  pageBytesMax: ["bytes", "one page of agent.session.log"],
  entryBytesMax: ["bytes", "a longer entry appears in a page by its size alone"],
  pieceBytesMax: ["bytes", "one piece of such an entry"],
  fullestSessionsMax: ["count", "sessions that agent.log.stats lists"],
  secretBytesMin: ["bytes", "the shortest secret that agent.log.redact looks for"],
  secretBytesMax: ["bytes", "the longest secret that agent.log.redact looks for"],
  receiptBodyBytesMax: ["bytes", "the answer to a command that outlives its purged session"],
};

export const defaultLimits: Limits = Object.freeze(
  Object.fromEntries(Object.entries(table).map(([name, { value }]) => [name, value])) as Record<LimitName, number>,
);

/** The whole table for `agent.status`: the code's bounds as given, then those that the instance's file sets. */
export function listLimits(limits: Limits, configured: ConfiguredLimits): readonly Limit[] {
  const fixed = Object.entries(table).map(([name, { unit, description }]) => ({
    name,
    value: limits[name as LimitName],
    unit,
    description,
  }));
  const called = Object.entries(callTable).map(([name, [unit, description]]) => ({
    name,
    value: callLimits[name as ListedCallLimit],
    unit,
    description,
  }));
  return [
    ...called,
    ...fixed,
    {
      name: "maxSessions",
      value: configured.maxSessions,
      unit: "count",
      description: "live sessions in all; max_sessions in the instance's file",
    },
    {
      name: "idleTimeoutMs",
      value: configured.idleTimeoutMs,
      unit: "ms",
      description: "a session that has been idle for so long is closed; idle_timeout in the instance's file",
    },
    {
      name: "permissionTimeoutMs",
      value: configured.permissionTimeoutMs,
      unit: "ms",
      description: "how long a permission waits for a person; permission_timeout in the instance's file",
    },
    {
      name: "logQuotaBytes",
      value: configured.logQuotaBytes,
      unit: "bytes",
      description: "log.db beyond which new starts and prompts are refused; log_quota in the instance's file",
    },
  ];
}

function limit(value: number, unit: LimitUnit, description: string) {
  return { value, unit, description };
}
