// SPDX-License-Identifier: MIT OR Apache-2.0
// Values of the vocabulary. mix imports only its types, so that its schemas are not loaded at start-up; the compiler
// checks these values against the types.
import type {
  EntryKind,
  LivePhase,
  SessionPhase,
  topic as topicOfVocabulary,
} from "../../agentd/vocabulary/entries.ts";

/** The topic of the entries of all sessions. */
export const topic: typeof topicOfVocabulary = "agent.session.updated";

const phases = {
  starting: "live",
  idle: "live",
  running: "live",
  waiting: "live",
  closing: "live",
  closed: "ended",
  lost: "ended",
  failed: "ended",
} as const satisfies { readonly [Phase in SessionPhase]: Phase extends LivePhase ? "live" : "ended" };

export const sessionPhases = Object.keys(phases) as SessionPhase[];
export const livePhases = sessionPhases.filter((phase) => phases[phase] === "live");
export const endedPhases = sessionPhases.filter((phase) => phases[phase] === "ended");

const kinds: Readonly<Record<EntryKind, true>> = {
  command: true,
  reply: true,
  state: true,
  turn: true,
  message: true,
  tool_call: true,
  plan: true,
  commands: true,
  options: true,
  info: true,
  usage: true,
  notice: true,
  compaction: true,
  permission: true,
  elicitation: true,
  file: true,
  terminal: true,
  extension: true,
  diagnostic: true,
};

export const entryKinds = Object.keys(kinds) as readonly EntryKind[];
