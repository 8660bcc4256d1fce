// SPDX-License-Identifier: MIT OR Apache-2.0
// Every limit of the daemon, with its unit. `agent.status` returns the list, so that a caller who hits a limit can see
// its name and value.
import { callLimits, callTable, type LimitTable, limitValues } from "../vocabulary/limits.ts";

/** The limits set by the code. Those of calls are in the vocabulary, configurable ones in `Settings`. */
export type Limits = { readonly [Name in keyof typeof table]: number };

/** The limits that the configuration sets; null for "none". */
export type ConfiguredLimits = Readonly<Record<keyof typeof configuredDescriptions, number | null>>;

const KiB = 1024;
const MiB = 1024 * KiB;

const table = {
  lineBytesMax: [64 * MiB, "the longest line that an agent may write"],
  messageLevelsMax: [512, "nesting depth of arrays and objects in a message of an agent"],
  messageValuesMax: [1_000_000, "values in a message of an agent, nested ones included"],
  stderrTailBytes: [64 * KiB, "how much of an agent's stderr is kept"],
  queuedPromptsMax: [32, "prompts that wait behind a running turn, for each session"],
  openRequestsMax: [64, "permissions and elicitations open at a time, for each session"],
  openToolCallsMax: [1024, "tool calls open at a time, for each session; the oldest is closed for one more"],
  policyPathsMax: [64, "paths of one tool call that a policy checks; a call with more goes to a person"],
  formPatternsMs: [200, "time to match all patterns of a form against one answer; beyond it the answer is refused"],
  waitsMax: [256, "agent.session.wait calls open at a time; one more is BUSY"],
  commandsMax: [1024, "acting commands in progress at a time; one more is BUSY"],
  environmentValueBytesMax: [64 * KiB, "one value in env/ of the state directory"],
  configBytesMax: [256 * KiB, "the configuration file"],
  configSettleMs: [100, "quiet time after a change of the configuration file before it is read again"],

  initializeTimeoutMs: [60_000, "an agent's answer to initialize; agents.<name>.start_timeout overrides it"],
  openTimeoutMs: [60_000, "an agent's answer to session/new, session/load or session/resume"],
  loginTimeoutMs: [600_000, "an agent's answer to authenticate, for which a person has to do something elsewhere"],
  loginWaitMs: [45_000, "one call of agent.login; the login goes on"],
  requestTimeoutMs: [50_000, "an agent's answer to any other request; a prompt has no timeout"],
  replayQuietMs: [300, "after session/load: time without history that ends the replay; until then a prompt waits"],
  replayWaitMsMax: [10_000, "after session/load: how long a prompt waits for the end of the replay"],
  closeRequestTimeoutMs: [2_000, "stopping an agent: its answer to session/close, where offered"],
  stdinGraceMs: [8_000, "stopping an agent: from closing its stdin to SIGTERM"],
  termGraceMs: [3_000, "stopping an agent: from SIGTERM to SIGKILL of its whole tree"],
  cancelForceMs: [10_000, "from a cancel to the turn ending as cancelled, forced"],
  probeTurnMs: [120_000, "a probe's turns, each: an agent that takes longer is not measured further"],
  drainTimeoutMs: [10_000, "wait for the late answer of a forced turn before its agent is ended"],
  modelSilenceMs: [
    20_000,
    "silence of the model in a turn, while no tool runs and no question is open, until the log says so",
  ],
  storeFailedGraceMs: [
    10_000,
    "how long agents' pipes pause while the log cannot be written; then all agents are ended",
  ],

  busToolsGraceMs: [
    1_000,
    "time after its first turn for an agent's MCP server to register on the Bus, before a diagnostic says that it has not",
  ],

  chunkMergeBytesMax: [64 * KiB, "adjacent text chunks of one batch that become one entry"],
  freshTranscriptBytesMax: [64 * KiB, "the transcript before the first prompt of `resume --fresh`"],
  extensionBytesMax: [64 * KiB, "data of an agent's message that the vocabulary has no entry for"],
  clientSideRequestsMax: [64, "file and terminal requests of an agent open at a time, for each session"],
  fileBytesMax: [16 * MiB, "one file that an agent reads or writes through its client"],
  heldFileBytesMax: [64 * MiB, "texts to be written that wait for the log, for each session"],
  answerBytesMax: [48 * MiB, "one answer to a file or terminal request, as JSON"],
  answersBytesMax: [
    8 * MiB,
    "texts under way to an agent, as JSON, for each session; the next starts while the sum is below this",
  ],
  clientSideTurnMs: [
    5,
    "reads of files and terminals in one turn of the event loop; then they pause for as long as they took",
  ],
  terminalsMax: [16, "terminals of an agent that it has not released, for each session"],
  terminalTailBytes: [1 * MiB, "how much of a terminal's output is kept by default"],
  terminalTailBytesMax: [4 * MiB, "how much of a terminal's output an agent can ask to keep"],
  terminalGraceMs: [1_000, "ending a terminal: from SIGTERM to SIGKILL of its whole tree"],
  terminalArgumentsMax: [1024, "arguments of one terminal"],
  terminalVariablesMax: [256, "variables that an agent sets for one terminal"],
  terminalTextBytesMax: [128 * KiB, "a terminal's command, one of its arguments or one of its variables"],
  requestPathBytesMax: [4096, "a path in a file or terminal request"],
  leasesMax: [256, "leases of sessions' editors, in all"],
  leaseCallMs: [10_000, "an editor's answer to a file or terminal request; then agentd does it itself where it can"],
  leaseGraceMs: [2_000, "from an editor's leaving the Bus to the end of its lease, in case its connection only broke"],
  leaseRejoinMs: [10_000, "the same after agentd itself has come back to the Bus"],
  leftSessionMs: [
    600_000,
    "idle time after which a session is closed that its last editor has left, and nobody else has used since",
  ],
  leaseCheckMs: [15_000, "interval of looking whether editors are still on the Bus, in case a notice was lost"],
  entriesPerCommitMax: [256, "entries of one transaction of the log"],
  commitBytesMax: [1 * MiB, "texts of one transaction of the log; a single input may be longer"],
  inputsWaitingMax: [
    512,
    "inputs of agents and callers that are not in the log yet; beyond it agents' pipes pause until half are",
  ],
  storeRetryMs: [250, "until a failed write to the log is tried again"],
  publicationBytesMax: [1000 * KiB, "the body of one publication; the topic takes 1 MiB with its headers"],
  unansweredPublicationsMax: [128, "unacknowledged publications; a broker's queue holds 256"],

  notifyCallMs: [5_000, "an answer of the service that asks people"],
  notifyPollMs: [15_000, "interval of polling the service that asks people, in case a hint was lost"],
  notifyRetryMs: [1_000, "until the service that asks people is tried again"],
  notifyFarewellMs: [2_000, "when agentd stops: time to withdraw all questions to people"],
  notifyTrackedMax: [2048, "questions that people are asked or that are to be withdrawn"],

  processLogBytesMax: [16 * MiB, "agentd.log before it is rotated; one older file is kept"],
  lockWaitMs: [250, "how long a second agentd waits for the instance's lock before it gives up"],
} satisfies LimitTable;

const configuredDescriptions = {
  maxSessions: "live sessions in all; max_sessions in the configuration",
  idleTimeoutMs: "idle time after which a session is closed; idle_timeout in the configuration",
  permissionTimeoutMs: "how long a permission waits for a person; permission_timeout in the configuration",
  logQuotaBytes: "size of log.db beyond which new starts and prompts are refused; log_quota in the configuration",
};

export const defaultLimits: Limits = Object.freeze(limitValues(table));

/** The whole list for `agent.status`: the limits of calls, of the code and of the configuration. */
export function listLimits(limits: Limits, configured: ConfiguredLimits) {
  const values: Readonly<Record<string, number | null>> = { ...callLimits, ...limits, ...configured };
  const fixed = Object.entries({ ...callTable, ...table }).map(
    ([name, [, description]]) => [name, description] as const,
  );
  return [...fixed, ...Object.entries(configuredDescriptions)].map(([name, description]) => ({
    name,
    value: values[name] ?? null,
    unit: unitOf(name),
    description,
  }));
}

/** The unit of a limit, with which its name ends. */
function unitOf(name: string): "bytes" | "ms" | "count" {
  if (/Bytes(?:Max|Min)?$/u.test(name)) return "bytes";
  return /Ms(?:Max)?$/u.test(name) ? "ms" : "count";
}
