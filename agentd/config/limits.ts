// SPDX-License-Identifier: MIT OR Apache-2.0
// Every limit of the daemon, with its unit. `agent.status` returns the list, so that a caller who hits a limit can see
// its name and value.
import { callLimits } from "../vocabulary/limits.ts";

export type LimitUnit = "bytes" | "ms" | "count";

/** One limit in `agent.status`. `value` is null if the configuration says "none". */
export interface Limit {
  readonly name: string;
  readonly value: number | null;
  readonly unit: LimitUnit;
  readonly description: string;
}

export type LimitName = keyof typeof table;

/** The limits set by the code. Those of calls are in the vocabulary, configurable ones in `Settings`. */
export type Limits = { readonly [Name in LimitName]: number };

/** The limits that the configuration sets. */
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
  messageLevelsMax: limit(512, "count", "nesting depth of arrays and objects in a message of an agent"),
  messageValuesMax: limit(1_000_000, "count", "values in a message of an agent, nested ones included"),
  stderrTailBytes: limit(64 * KiB, "bytes", "how much of an agent's stderr is kept"),
  queuedPromptsMax: limit(32, "count", "prompts that wait behind a running turn, for each session"),
  openRequestsMax: limit(64, "count", "permissions and elicitations open at a time, for each session"),
  openToolCallsMax: limit(
    1024,
    "count",
    "tool calls open at a time, for each session; the oldest is closed for one more",
  ),
  policyPathsMax: limit(64, "count", "paths of one tool call that a policy checks; a call with more goes to a person"),
  formPatternsMs: limit(
    200,
    "ms",
    "time to match all patterns of a form against one answer; beyond it the answer is refused",
  ),
  waitsMax: limit(256, "count", "agent.session.wait calls open at a time; one more is BUSY"),
  commandsMax: limit(1024, "count", "acting commands in progress at a time; one more is BUSY"),
  environmentValueBytesMax: limit(64 * KiB, "bytes", "one value in env/ of the state directory"),
  configBytesMax: limit(256 * KiB, "bytes", "the configuration file"),
  configSettleMs: limit(100, "ms", "quiet time after a change of the configuration file before it is read again"),

  initializeTimeoutMs: limit(60_000, "ms", "an agent's answer to initialize; agents.<name>.start_timeout overrides it"),
  openTimeoutMs: limit(60_000, "ms", "an agent's answer to session/new, session/load or session/resume"),
  requestTimeoutMs: limit(50_000, "ms", "an agent's answer to any other request; a prompt has no timeout"),
  closeRequestTimeoutMs: limit(2_000, "ms", "stopping an agent: its answer to session/close, where offered"),
  stdinGraceMs: limit(8_000, "ms", "stopping an agent: from closing its stdin to SIGTERM"),
  termGraceMs: limit(3_000, "ms", "stopping an agent: from SIGTERM to SIGKILL of its whole tree"),
  cancelForceMs: limit(10_000, "ms", "from a cancel to the turn ending as cancelled, forced"),
  drainTimeoutMs: limit(10_000, "ms", "wait for the late answer of a forced turn before its agent is ended"),
  storeFailedGraceMs: limit(
    10_000,
    "ms",
    "how long agents' pipes pause while the log cannot be written; then all agents are ended",
  ),

  busToolsGraceMs: limit(
    1_000,
    "ms",
    "time after its first turn for an agent's MCP server to register on the Bus, before a diagnostic says that it has not",
  ),

  chunkMergeBytesMax: limit(64 * KiB, "bytes", "adjacent text chunks of one batch that become one entry"),
  freshTranscriptBytesMax: limit(64 * KiB, "bytes", "the transcript before the first prompt of `resume --fresh`"),
  extensionBytesMax: limit(64 * KiB, "bytes", "data of an agent's message that the vocabulary has no entry for"),
  clientSideRequestsMax: limit(64, "count", "file and terminal requests of an agent open at a time, for each session"),
  fileBytesMax: limit(16 * MiB, "bytes", "one file that an agent reads or writes through its client"),
  heldFileBytesMax: limit(64 * MiB, "bytes", "texts to be written that wait for the log, for each session"),
  answerBytesMax: limit(48 * MiB, "bytes", "one answer to a file or terminal request, as JSON"),
  answersBytesMax: limit(
    8 * MiB,
    "bytes",
    "texts under way to an agent, as JSON, for each session; the next starts while the sum is below this",
  ),
  deskTurnMs: limit(
    5,
    "ms",
    "reads of files and terminals in one turn of the event loop; then they pause for as long as they took",
  ),
  terminalsMax: limit(16, "count", "terminals of an agent that it has not released, for each session"),
  terminalTailBytes: limit(1 * MiB, "bytes", "how much of a terminal's output is kept by default"),
  terminalTailBytesMax: limit(4 * MiB, "bytes", "how much of a terminal's output an agent can ask to keep"),
  terminalGraceMs: limit(1_000, "ms", "ending a terminal: from SIGTERM to SIGKILL of its whole tree"),
  terminalArgumentsMax: limit(1024, "count", "arguments of one terminal"),
  terminalVariablesMax: limit(256, "count", "variables that an agent sets for one terminal"),
  terminalTextBytesMax: limit(128 * KiB, "bytes", "a terminal's command, one of its arguments or one of its variables"),
  requestPathBytesMax: limit(4096, "bytes", "a path in a file or terminal request"),
  entriesPerCommitMax: limit(256, "count", "entries of one transaction of the log"),
  commitBytesMax: limit(1 * MiB, "bytes", "texts of one transaction of the log; a single input may be longer"),
  inputsWaitingMax: limit(
    512,
    "count",
    "inputs of agents and callers that are not in the log yet; beyond it agents' pipes pause until half are",
  ),
  storeRetryMs: limit(250, "ms", "until a failed write to the log is tried again"),
  publicationBytesMax: limit(
    1000 * KiB,
    "bytes",
    "the body of one publication; the topic takes 1 MiB with its headers",
  ),
  unansweredPublicationsMax: limit(128, "count", "unacknowledged publications; a broker's queue holds 256"),

  notifyCallMs: limit(5_000, "ms", "an answer of the service that asks people"),
  notifyPollMs: limit(15_000, "ms", "interval of polling the service that asks people, in case a hint was lost"),
  notifyRetryMs: limit(1_000, "ms", "until the service that asks people is tried again"),
  notifyFarewellMs: limit(2_000, "ms", "when agentd stops: time to withdraw all questions to people"),
  notifyTrackedMax: limit(2048, "count", "questions that people are asked or that are to be withdrawn"),

  processLogBytesMax: limit(16 * MiB, "bytes", "agentd.log before it is rotated; one older file is kept"),
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
  formContentBytesMax: ["bytes", "the content of one answered form, as JSON"],
  questionBytesMax: ["bytes", "a pending request; a longer one is listed without its longest parts"],
  questionsBytesMax: ["bytes", "pending requests in one list"],
  snapshotBytesMax: ["bytes", "the snapshot of a session, without its pending requests"],
  titleCharactersMax: ["count", "UTF-16 units of a session's title where sessions are listed"],
  sessionsPerPageMax: ["count", "sessions in one page of agent.session.list"],
  entriesPerPageMax: ["count", "entries in one page of agent.session.log"],
  pageBytesMax: ["bytes", "one page of agent.session.log"],
  entryBytesMax: ["bytes", "a longer entry is listed in a page with its size only"],
  pieceBytesMax: ["bytes", "one piece of such an entry"],
  fullestSessionsMax: ["count", "sessions that agent.log.stats lists"],
  secretBytesMin: ["bytes", "the shortest secret that agent.log.redact looks for"],
  secretBytesMax: ["bytes", "the longest secret that agent.log.redact looks for"],
  receiptBodyBytesMax: ["bytes", "the stored reply of a command whose session was purged"],
};

export const defaultLimits: Limits = Object.freeze(
  Object.fromEntries(Object.entries(table).map(([name, { value }]) => [name, value])) as Record<LimitName, number>,
);

/** The whole list for `agent.status`: the limits of calls, of the code and of the configuration. */
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
      description: "live sessions in all; max_sessions in the configuration",
    },
    {
      name: "idleTimeoutMs",
      value: configured.idleTimeoutMs,
      unit: "ms",
      description: "idle time after which a session is closed; idle_timeout in the configuration",
    },
    {
      name: "permissionTimeoutMs",
      value: configured.permissionTimeoutMs,
      unit: "ms",
      description: "how long a permission waits for a person; permission_timeout in the configuration",
    },
    {
      name: "logQuotaBytes",
      value: configured.logQuotaBytes,
      unit: "bytes",
      description: "size of log.db beyond which new starts and prompts are refused; log_quota in the configuration",
    },
  ];
}

function limit(value: number, unit: LimitUnit, description: string) {
  return { value, unit, description };
}
