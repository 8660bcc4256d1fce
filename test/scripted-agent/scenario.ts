// SPDX-License-Identifier: MIT OR Apache-2.0
// The scenarios of the scripted agent, which plays every way an agent can behave and misbehave:
//
//   node scripted-agent.mjs scenario.json        (or the JSON itself in place of the file)
//
// Where no rule applies, the agent behaves as a minimal correct ACP v1 agent: it answers initialize, opens sessions,
// answers each prompt with the text "ok" and end_turn, keeps options, ends a cancelled turn as cancelled, refuses unknown
// methods with -32601, and exits when its stdin ends.
//
// The first rule that matches a received frame replaces the correct behaviour: `do: []` does nothing, and the step
// "default" does what the correct agent would have done. Steps run in order and without a pause until one has to wait;
// later frames are served meanwhile, by their own rules.
//
// In all JSON that a step sends, these strings are replaced by current values:
//   "$id" the id of the request that started the rule · "$sessionId" its session, or the last one opened ·
//   "$promptId" the id of that session's open prompt · "$requestId" the id of our last own request ·
//   "$terminalId" the terminal that the client opened last · "$cwd" and "$cwd/name" where the last session works
// and {"$fill": 1000, "of": "é"} stands for a string of that many bytes (at most; whole copies of `of`, default "x").

import { readFileSync } from "node:fs";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json | undefined };
export type JsonObject = { readonly [member: string]: Json | undefined };

export interface Scenario {
  readonly rules?: readonly Rule[];
  /** Merged over the members of the correct initialize result: capabilities, authMethods, another version. */
  readonly initialize?: JsonObject;
  /** Merged over the session/new result: sessionId, modes, configOptions. Without a sessionId: "session-1", "session-2", … */
  readonly session?: JsonObject;
  /** Appends every received line to this file unchanged, so that a test sees what the agent got. */
  readonly record?: string;
  /** Events that do not end the process. */
  readonly ignore?: readonly ("eof" | "SIGTERM" | "SIGINT" | "SIGHUP")[];
  /** Never reads stdin, so that the pipe fills up. */
  readonly neverReadStdin?: boolean;
}

export interface Rule {
  /**
   * "start" (before anything is read), "eof" (stdin ended), "response" (to a request of ours), "*" (any frame),
   * "garbage" (a line that is not a JSON object), or the method of a request or notification.
   */
  readonly on: string;
  /** Matches only frames whose line contains this text. */
  readonly match?: string;
  /** Matches only the nth frame, from 1, of those that match `on` and `match`. */
  readonly nth?: number;
  readonly do: readonly Step[];
}

export type Step =
  | "default"
  | SendStep
  | RawStep
  | UpdateStep
  | TextStep
  | ReplyStep
  | ErrorStep
  | RequestStep
  | PermissionStep
  | AwaitAnswersStep
  | NotifyStep
  | GlueStep
  | RepeatStep
  | AbortPromptStep
  | WaitStep
  | WaitForFileStep
  | WriteFileStep
  | ExitStep
  | KillStep
  | CloseStep
  | StdinStep
  | StderrStep
  | FloodStep
  | SpawnStep
  | ReexecuteStep;

/** Sends a frame, or any other JSON, as one line. */
export interface SendStep extends Pieces {
  readonly send: Json;
  /** The line end; "\n" by default. */
  readonly end?: string;
}

/** Sends bytes unchanged, without a newline. */
export interface RawStep extends Pieces {
  /** Each element of a list is a write of its own. */
  readonly raw: string | readonly string[];
  readonly encoding?: "utf8" | "hex" | "base64";
}

/** Splits bytes into several writes, each of which the kernel has before the next. */
interface Pieces {
  readonly pieceBytes?: number;
  /** Pause between pieces. Without it the reader may get several at once. */
  readonly betweenMs?: number;
}

/** Sends session/update. */
export interface UpdateStep {
  readonly update: JsonObject;
  /** Default "$sessionId". */
  readonly sessionId?: Json;
}

/** Sends an agent_message_chunk. */
export interface TextStep {
  readonly text: Json;
}

/** Sends the result of the request that matched the rule. */
export interface ReplyStep {
  readonly reply: Json;
  /** The id to respond to; default "$id". */
  readonly to?: Json;
}

export interface ErrorStep {
  readonly error: JsonObject;
  readonly to?: Json;
}

/** Sends a request; the next steps wait for its response unless `await` is false. */
export interface RequestStep {
  readonly request: string;
  readonly params?: Json;
  /** Default: integers from 0. */
  readonly id?: Json;
  readonly await?: boolean;
}

/** Sends session/request_permission; the default options are allow_once "allow" and reject_once "reject". */
export interface PermissionStep {
  readonly permission: {
    readonly toolCall?: JsonObject;
    readonly options?: Json;
    readonly sessionId?: Json;
  };
  readonly id?: Json;
  readonly await?: boolean;
  /** Steps to run by the response: an option's id, "cancelled" or "error". */
  readonly answered?: Readonly<Record<string, readonly Step[]>>;
}

/** Waits until all of our requests are answered. */
export interface AwaitAnswersStep {
  readonly awaitAnswers: true;
}

export interface NotifyStep {
  readonly notify: string;
  readonly params?: Json;
}

/** Joins everything into one write that these steps write before one of them waits. */
export interface GlueStep {
  readonly glue: readonly Step[];
}

export interface RepeatStep {
  readonly repeat: number;
  readonly do: readonly Step[];
}

/** Aborts the steps of the session's open prompt; the prompt stays unanswered. */
export interface AbortPromptStep {
  readonly abortPrompt: true;
}

export interface WaitStep {
  readonly waitMs: number;
}

/** Waits until a file exists, so that tests need no sleep. Fails after a minute. */
export interface WaitForFileStep {
  readonly waitForFile: string;
}

/** Appends the text (default: one newline), which creates the file. */
export interface WriteFileStep {
  readonly writeFile: string;
  readonly text?: string;
}

export interface ExitStep {
  readonly exit: number;
}

/** Sends a signal to its own process. */
export interface KillStep {
  readonly kill: NodeJS.Signals;
}

export interface CloseStep {
  readonly close: "stdin" | "stdout" | "stderr";
}

/** Pauses or resumes reading. */
export interface StdinStep {
  readonly stdin: "pause" | "resume";
}

export interface StderrStep {
  readonly stderr: Json;
}

/**
 * Writes as fast as the pipe takes it: `count` updates, each with a text of `bytes` ("chunks") or a diff whose new text
 * has that many ("tool_calls", 8192 by default, all of the tool call "flood"), or lines on stderr.
 */
export interface FloodStep {
  readonly flood: "chunks" | "tool_calls" | "stderr";
  readonly count: number;
  readonly bytes?: number;
  /** Of "chunks": each text is a copy of this. */
  readonly text?: string;
  /** Begins each text with its number and a space, for tests of order. Slower. */
  readonly numbered?: boolean;
}

/** Starts processes that only sleep. */
export interface SpawnStep {
  /**
   * "group": children in our process group · "session": children in a session of their own · "orphan": their parent has
   * exited · "orphan_session": both · "clean_orphan_session": both, with an empty environment
   */
  readonly spawn: "group" | "session" | "orphan" | "orphan_session" | "clean_orphan_session";
  readonly count?: number;
  /** The processes keep our stdout open. */
  readonly holdStdout?: boolean;
  /** Appends their pids to this file, one per line. */
  readonly pidFile?: string;
}

/** Starts this program again on the same pipes and exits with 0. The new process continues with the next step. */
export interface ReexecuteStep {
  readonly reexecute: true;
}

/** Reads it from a file, or from the argument itself if that is JSON. Throws if it cannot be read or parsed. */
export function loadScenario(argument: string): Scenario {
  const text = argument.trimStart().startsWith("{") ? argument : readFileSync(argument, "utf8");
  return JSON.parse(text.replace(/^\ufeff/u, "")) as Scenario;
}
