// SPDX-License-Identifier: MIT OR Apache-2.0
// Parses a command line, runs its verb and returns the exit code.
import { type Arguments, parseArguments, positionalRange } from "./input/arguments.ts";
import { AgentError } from "../agent-client/agent-error.ts";
import { asAgentError, type ReadingBus } from "../agent-client/requests/ask.ts";
import { connectCitizen } from "./connect/citizen-connection.ts";
import { connectReader } from "./connect/reader-connection.ts";
import { overviewHelp, verbHelp } from "./help.ts";
import type { ConnectOptions, ConnectTarget, Context } from "./process/context.ts";
import { done, exitCodeOf, type Outcome } from "./process/exit-codes.ts";
import { inWordsOfMix, MixError, usageError } from "./process/mix-error.ts";
import { Output, type OutputMode } from "./process/output.ts";
import { warnOtherBuild } from "./daemon/other-build.ts";
import { commonFlags, verbOf, type Invocation, type VerbModule } from "./input/verb.ts";
import { agentVerbs, busVerbs, unlistedVerbs } from "./verbs/table.ts";

/** Resolves with the exit code. Never throws for errors of the user, of a service or of the Bus. */
export async function runCommandLine(context: Context): Promise<number> {
  const output = new Output(context, wantedMode(context.words));
  try {
    return exitCodeOf(await dispatch(context, output));
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    output.error(error);
    return exitCodeOf({ kind: "refused", code: error.code });
  }
}

async function dispatch(context: Context, output: Output): Promise<Outcome> {
  const [first, second] = context.words;
  if (first === "--version" || first === "-V") {
    await output.line(`mix ${context.version}`);
    return done;
  }
  const isAgent = first === "agent";
  const name = isAgent ? second : first;
  // `mix help` alone is the overview. With a word after it, it is the verb that asks a service for its help.
  const isBareHelp = name === "help" && context.words.length === (isAgent ? 2 : 1);
  if (name === undefined || name === "--help" || name === "-h" || isBareHelp) {
    await output.lines(overviewHelp(agentVerbs, busVerbs));
    return done;
  }
  const table = isAgent ? agentVerbs : { ...busVerbs, ...unlistedVerbs };
  const listed = Object.hasOwn(table, name) ? table[name] : undefined;
  if (listed === undefined) throw unknownVerb(isAgent, name);
  return runVerb(context, output, await verbOf(listed), context.words.slice(isAgent ? 2 : 1));
}

type Connector<Bus> = (context: Context, output: Output, how: ConnectOptions) => Promise<Bus>;

async function runVerb(
  context: Context,
  output: Output,
  { spec, run }: VerbModule,
  words: readonly string[],
): Promise<Outcome> {
  // A verb with several forms and no arguments shows its help, as `mix agent` does.
  if (words.length === 0 && positionalRange(spec).min > 0 && spec.usage.includes(" | ")) {
    return runVerb(context, output, { spec, run }, ["--help"]);
  }
  const args = parseArguments(words, { ...spec, flags: { ...spec.flags, ...commonFlags } });
  if (args.switch("help")) {
    await output.lines(verbHelp(spec));
    return done;
  }
  const opened: ReadingBus[] = [];
  const open = async <Bus extends ReadingBus>(target: ConnectTarget, how: Connector<Bus>): Promise<Bus> => {
    const autostart = !args.switch("no-autostart") && context.env["AGENTD_AUTOSTART"] !== "0";
    const bus = await how(context, output, { target, autostart });
    opened.push(bus);
    if (target !== "bus" && opened.length === 1) warnOtherBuild(context, output);
    return bus;
  };
  const invocation: Invocation = {
    context,
    output,
    args,
    connect: (target) => open(target, connectCitizen),
    read: (target) => open(target, connectReader),
  };
  try {
    return (await run(invocation)) ?? done;
  } catch (error) {
    const known = asAgentError(error);
    throw known instanceof AgentError ? withContext(known, args, spec) : known;
  } finally {
    await Promise.all(opened.map((bus) => bus.close()));
  }
}

/** Adds the session and command id of the command line to an error that does not name them, and mix's own words. */
function withContext(error: AgentError, args: Arguments, { usage, flags }: VerbModule["spec"]): MixError {
  const session = usage.includes(" <session>") && !usage.includes("<session>…") ? args.positionals[0] : undefined;
  const commandId = flags["id"] === undefined ? undefined : args.text("id");
  const details = { session, command_id: commandId, ...error.details };
  const { code, message } = inWordsOfMix(error);
  return new MixError(code, message, { details, cause: error.cause ?? error });
}

function unknownVerb(isAgent: boolean, name: string): MixError {
  const names = Object.keys(isAgent ? agentVerbs : busVerbs);
  const others = isAgent ? names.join(", ") : ["agent <verb>", ...names].join(", ");
  return usageError(`no verb ${name}; there are: ${others}`);
}

// Determined before the words are parsed, so that usage errors are written in this mode too.
function wantedMode(words: readonly string[]): OutputMode {
  const end = words.indexOf("--");
  const own = end < 0 ? words : words.slice(0, end);
  if (own.includes("--json")) return "json";
  // Short flags may be combined: -aq.
  return own.some((word) => word === "--quiet" || /^-[a-z]*q[a-z]*$/.test(word)) ? "ids" : "people";
}
