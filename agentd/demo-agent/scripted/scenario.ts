// SPDX-License-Identifier: MIT OR Apache-2.0
// The language of the scripted agent, which plays every way an agent can behave and misbehave:
//
//   node main.js --scenario scenario.json        (or the JSON itself in place of the file)
//
// What a scenario does not say, a correct minimal ACP v1 agent does: it answers initialize, opens sessions, answers
// each prompt with the text "ok" and end_turn, keeps options, ends a cancelled turn as cancelled, refuses unknown
// methods with -32601, and leaves when its stdin ends.
//
// A frame that arrives is given to the first rule that fits it, and then *only the rule's steps happen*: `do: []` is
// an agent that goes mute there, and the step "default" is what the correct agent would have done. Steps run in order
// and without pause until one has to wait; meanwhile later frames are served, by rules of their own.
//
// In all JSON that a step sends, these strings stand for values of the moment:
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
  /** Every line that arrives is appended to this file as it came, so that a test sees what the agent really got. */
  readonly record?: string;
  /** What does not end it. */
  readonly ignore?: readonly ("eof" | "SIGTERM" | "SIGINT" | "SIGHUP")[];
  /** It never reads its stdin: pipes fill up, and no frame ever arrives. */
  readonly neverReadStdin?: boolean;
}

export interface Rule {
  /**
   * "start" (before anything is read), "eof" (stdin ended), "response" (an answer to a request of ours), "*" (any
   * frame), "garbage" (a line that is no JSON object), or the method of a request or notification.
   */
  readonly on: string;
  /** Only frames whose line has this text. */
  readonly match?: string;
  /** Only the nth frame, from 1, of those that `on` and `match` let through. */
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

/** A frame, or what should not be one, as one line. */
export interface SendStep extends Pieces {
  readonly send: Json;
  /** What ends the line. Default "\n"; "\r\n" and "" are the interesting others. */
  readonly end?: string;
}

/** Bytes as they are: nothing is added, no newline either. */
export interface RawStep extends Pieces {
  /** A list is written piece by piece. */
  readonly raw: string | readonly string[];
  readonly encoding?: "utf8" | "hex" | "base64";
}

/** How bytes are cut: each piece is a write of its own, given to the kernel before the next. */
interface Pieces {
  readonly pieceBytes?: number;
  /** Between pieces. Without it the reader may get several at once. */
  readonly betweenMs?: number;
}

/** session/update. */
export interface UpdateStep {
  readonly update: JsonObject;
  /** Default "$sessionId". */
  readonly sessionId?: Json;
}

/** An agent_message_chunk. */
export interface TextStep {
  readonly text: Json;
}

/** The result of the request that started the rule, or of the open prompt, or of any id. */
export interface ReplyStep {
  readonly reply: Json;
  readonly to?: Json;
}

export interface ErrorStep {
  readonly error: JsonObject;
  readonly to?: Json;
}

/** A request of ours; the next steps wait for its answer unless `await` is false. */
export interface RequestStep {
  readonly request: string;
  readonly params?: Json;
  /** Default: integers from 0. */
  readonly id?: Json;
  readonly await?: boolean;
}

/** session/request_permission, with allow_once "allow" and reject_once "reject" unless told otherwise. */
export interface PermissionStep {
  readonly permission: {
    readonly toolCall?: JsonObject;
    readonly options?: Json;
    readonly sessionId?: Json;
  };
  readonly id?: Json;
  readonly await?: boolean;
  /** Steps by the answer: an option's id, "cancelled" or "error". */
  readonly answered?: Readonly<Record<string, readonly Step[]>>;
}

/** Waits until none of our requests is open. */
export interface AwaitAnswersStep {
  readonly awaitAnswers: true;
}

export interface NotifyStep {
  readonly notify: string;
  readonly params?: Json;
}

/** What these steps write before one of them waits goes out as one write. */
export interface GlueStep {
  readonly glue: readonly Step[];
}

export interface RepeatStep {
  readonly repeat: number;
  readonly do: readonly Step[];
}

/** The steps of the session's open prompt end where they are; the prompt stays unanswered. */
export interface AbortPromptStep {
  readonly abortPrompt: true;
}

export interface WaitStep {
  readonly waitMs: number;
}

/** How tests and agents wait for each other without sleeping. Gives up, loudly, after a minute. */
export interface WaitForFileStep {
  readonly waitForFile: string;
}

/** Appends the text (default: one newline), so the file is there. */
export interface WriteFileStep {
  readonly writeFile: string;
  readonly text?: string;
}

export interface ExitStep {
  readonly exit: number;
}

/** A signal to itself. */
export interface KillStep {
  readonly kill: NodeJS.Signals;
}

export interface CloseStep {
  readonly close: "stdin" | "stdout" | "stderr";
}

/** Stops and resumes reading. */
export interface StdinStep {
  readonly stdin: "pause" | "resume";
}

export interface StderrStep {
  readonly stderr: Json;
}

/**
 * As fast as the pipe takes it: `count` updates, each of a text of `bytes` ("chunks"), or of a diff whose new text
 * has that many ("tool_calls", 8192 by default, all of one tool call "flood"), or lines on stderr.
 */
export interface FloodStep {
  readonly flood: "chunks" | "tool_calls" | "stderr";
  readonly count: number;
  readonly bytes?: number;
  /** Each text starts with its number and a space: for tests of order, slower. */
  readonly numbered?: boolean;
}

/** Processes that only sleep. */
export interface SpawnStep {
  /**
   * "group": children in our process group · "session": children with one of their own · "orphan": their parent is
   * gone · "orphan_session": both · "clean_orphan_session": and an empty environment
   */
  readonly spawn: "group" | "session" | "orphan" | "orphan_session" | "clean_orphan_session";
  readonly count?: number;
  /** They hold our stdout open. */
  readonly holdStdout?: boolean;
  /** Their pids are appended to this file, one a line. */
  readonly pidFile?: string;
}

/** Starts this program again on the same pipes and leaves with code 0. The second one goes on with the next step. */
export interface ReexecuteStep {
  readonly reexecute: true;
}

/** From a file, or from the argument itself when it is JSON. Throws what is wrong with it. */
export function loadScenario(argument: string): Scenario {
  const text = argument.trimStart().startsWith("{") ? argument : readFileSync(argument, "utf8");
  return JSON.parse(text.replace(/^\ufeff/u, "")) as Scenario;
}
