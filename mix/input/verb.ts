// SPDX-License-Identifier: MIT OR Apache-2.0
// What a verb is: its words, its help, and one function.
import type { Arguments, ArgumentSpec, FlagTable } from "./arguments.ts";
import type { AgentBus, ConnectTarget, ReadingBus } from "../bus/ask.ts";
import type { Context } from "../process/context.ts";
import type { Outcome } from "../process/exit-codes.ts";
import type { Output } from "../process/output.ts";

export interface VerbSpec extends ArgumentSpec {
  readonly about: string;
  readonly examples: readonly string[];
  /** It needs no agentd, or one that runs already: `--no-autostart` changes nothing, and its help leaves it out. */
  readonly neverStarts?: true;
}

export interface Invocation {
  readonly context: Context;
  readonly output: Output;
  readonly args: Arguments;
  /** Connects as a citizen; what it opens closes itself when the verb is over. */
  readonly connect: (target: ConnectTarget) => Promise<AgentBus>;
  /** The same for who only asks. */
  readonly read: (target: Exclude<ConnectTarget, "bus">) => Promise<ReadingBus>;
}

export interface VerbModule {
  readonly spec: VerbSpec;
  readonly run: (invocation: Invocation) => Promise<Outcome>;
}

/** One line about a verb; its file is loaded only when it is called. */
export interface VerbEntry {
  readonly summary: string;
  readonly load: () => Promise<VerbModule>;
}

export type VerbTable = Readonly<Record<string, VerbEntry>>;

/** Flags that every verb takes. */
export const commonFlags: FlagTable = {
  json: { kind: "switch", about: "JSON: one document, or one object a line for what flows" },
  quiet: { kind: "switch", short: "q", about: "print ids only" },
  "no-autostart": { kind: "switch", about: "do not start agentd where none runs (exit 6 instead)" },
  help: { kind: "switch", short: "h", about: "this text" },
};

const { "no-autostart": _, ...withoutAutostart } = commonFlags;

/** Its own flags and those that every verb takes, as far as they change anything. */
export function takenFlags({ flags, neverStarts }: VerbSpec): FlagTable {
  return { ...flags, ...commonFlagsOf(neverStarts) };
}

export function commonFlagsOf(neverStarts: VerbSpec["neverStarts"]): FlagTable {
  return neverStarts === true ? withoutAutostart : commonFlags;
}

/** As a verb's argument, where one was given. */
export function commandIdMember(args: Arguments): { readonly command_id?: string } {
  const id = args.text("id");
  return id === undefined ? {} : { command_id: id };
}

/** Every verb that acts takes one. */
export const commandIdFlag: FlagTable = {
  id: { kind: "text", value: "ID", about: "command id: the same again gives the first result" },
};
