// SPDX-License-Identifier: MIT OR Apache-2.0
// The parts of a verb: its arguments, its help and one function.
import type { Arguments, ArgumentSpec, FlagTable } from "./arguments.ts";
import type { AgentBus, ReadingBus } from "../../agent-client/requests/ask.ts";
import type { CitizenKind, ConnectTarget, Context } from "../process/context.ts";
import type { Outcome } from "../process/exit-codes.ts";
import type { Output } from "../process/output.ts";

export interface VerbSpec extends ArgumentSpec {
  readonly about: string;
  readonly examples: readonly string[];
  /** The verb never starts agentd: `--no-autostart` has no effect, and the help leaves it out. */
  readonly neverStarts?: true;
  /** Default: `live`. */
  readonly sessions?: Sessions;
}

/**
 * Which sessions a verb is for. Where none is named, it takes for `live` the only live one of this directory; for `any`
 * the same, or else the one that was started last of those that ended; for `ended` that one; for `resumable` the only live
 * one, or else the only ended one.
 */
export type Sessions = "live" | "any" | "ended" | "resumable";

export interface Invocation {
  readonly context: Context;
  readonly output: Output;
  readonly args: Arguments;
  /** Connects as a citizen: `mix-…`, or of another kind. The connection is closed when the verb ends. */
  readonly connect: (target: ConnectTarget, kind?: CitizenKind) => Promise<AgentBus>;
  /** Connects anonymously, for requests only. The connection is closed when the verb ends. */
  readonly read: (target: Exclude<ConnectTarget, "bus">) => Promise<ReadingBus>;
}

export interface VerbModule {
  readonly spec: VerbSpec;
  /** Resolves to nothing for the outcome `done`. */
  readonly run: (invocation: Invocation) => Promise<Outcome | void>;
}

/** A verb and its line in the overview. A large verb is a function that loads it. */
export interface VerbEntry {
  readonly summary: string;
  /** Another name, which the help does not list. */
  readonly alias?: string;
  readonly verb: VerbModule | (() => Promise<VerbModule>);
}

export async function verbOf({ verb }: VerbEntry): Promise<VerbModule> {
  return typeof verb === "function" ? verb() : verb;
}

export type VerbTable = Readonly<Record<string, VerbEntry>>;

/** Finds a verb by its name or alias. */
export function findVerb(table: VerbTable, name: string): VerbEntry | undefined {
  return Object.hasOwn(table, name) ? table[name] : Object.values(table).find(({ alias }) => alias === name);
}

/** Flags that every verb takes. */
export const commonFlags: FlagTable = {
  json: { kind: "switch", about: "JSON: one document, or one object per line of a stream" },
  quiet: { kind: "switch", short: "q", about: "print ids only" },
  color: { kind: "text", value: "WHEN", about: "colours: auto (at a terminal), always or never" },
  "no-autostart": { kind: "switch", about: "do not start agentd if none runs (exit 6 instead)" },
  help: { kind: "switch", short: "h", about: "show this help" },
};

/** Accepted after every verb, and listed in no help. */
export const versionFlag: FlagTable = { version: { kind: "switch", about: "print the version" } };

const { "no-autostart": _, ...withoutAutostart } = commonFlags;

/** Its own flags and those that every verb takes, as far as they change anything. */
export function takenFlags({ flags, neverStarts }: VerbSpec): FlagTable {
  return { ...flags, ...commonFlagsOf(neverStarts) };
}

export function commonFlagsOf(neverStarts: VerbSpec["neverStarts"]): FlagTable {
  return neverStarts === true ? withoutAutostart : commonFlags;
}

/** The flag of every verb that prints a table. */
export const tableFlag: FlagTable = {
  "no-trunc": { kind: "switch", about: "on a terminal: cut nothing, and write paths in full" },
};

/** Flags of the verbs that send a prompt. */
export const promptFlags: FlagTable = {
  "no-ask": { kind: "switch", about: "exit 5 at the first question that no policy answers" },
  file: { kind: "text", value: "FILE", about: "read the prompt from a file" },
};

/** The flag of every verb that acts. */
export const commandIdFlag: FlagTable = {
  id: { kind: "text", value: "ID", about: "command id: a retry with it gets the first result" },
};
