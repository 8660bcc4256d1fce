// SPDX-License-Identifier: MIT OR Apache-2.0
// Parses a command line, runs its verb and returns the exit code.
import { type Arguments, parseArguments, positionalRange } from "./input/arguments.ts";
import { AgentError } from "../agent-client/agent-error.ts";
import { closestWord } from "../display/closest-word.ts";
import { asAgentError, type ReadingBus } from "../agent-client/requests/ask.ts";
import { connectCitizen } from "./connect/citizen-connection.ts";
import { connectReader } from "./connect/reader-connection.ts";
import { agentHelp, mixHelp, verbHelp } from "./help.ts";
import {
  type CitizenKind,
  type ConnectOptions,
  type ConnectTarget,
  type Context,
  wordsBeforeDashes,
} from "./process/context.ts";
import { colourWishes } from "./process/colour.ts";
import { done, exitCodeOf, type Outcome } from "./process/exit-codes.ts";
import { inWordsOfMix, MixError, ownError, usageError } from "./process/mix-error.ts";
import { Output, type OutputMode } from "./process/output.ts";
import { rememberSession } from "./references/last-session.ts";
import { similarSession } from "./references/session-reference.ts";
import { warnOtherBuild } from "./daemon/other-build.ts";
import { commonFlags, findVerb, verbOf, versionFlag, type Invocation, type VerbModule } from "./input/verb.ts";
import { agentVerbs, busVerbs, overview, unlistedVerbs } from "./verbs/table.ts";

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

/** Reports that stdout cannot be written, as to a full disk. Returns the exit code. */
export function reportUnwritable({ words, stderr }: Pick<Context, "words" | "stderr">, why: string): number {
  const error = ownError("OUTPUT_UNWRITABLE", `stdout cannot be written: ${why}`);
  new Output({ stdout: stderr, stderr }, wantedMode(words)).error(error);
  return exitCodeOf({ kind: "refused", code: error.code });
}

async function dispatch(context: Context, output: Output): Promise<Outcome> {
  const isAgent = context.words[0] === "agent";
  const [name, ...words] = isAgent ? context.words.slice(1) : context.words;
  if (name === "--version" || name === "-V") return printVersion(context, output);
  if (isAgent && name === undefined && context.stdout.isTTY) return runVerb(context, output, await overview(), []);
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && words.length === 0)) {
    await output.lines(isAgent ? agentHelp(agentVerbs) : mixHelp(agentVerbs, busVerbs));
    return done;
  }
  if (name === "help") return explain(context, output, isAgent, words);
  return runVerb(context, output, await verbNamed(isAgent, name), words);
}

/**
 * `mix help <service>` asks the service; also where a verb has its name, as `agent` and `notify` do. `mix agent help
 * <verb>`, `mix help agent <verb>` and `mix help <verb>` are the help of a verb of mix.
 */
async function explain(context: Context, output: Output, isAgent: boolean, words: readonly string[]): Promise<Outcome> {
  const [first = "", second] = words;
  const help = [...words.filter((word) => word.startsWith("-")), "--help"];
  if (isAgent) return runVerb(context, output, await verbNamed(true, first), help);
  if (first === "agent" && second !== undefined && !second.startsWith("-"))
    return runVerb(context, output, await verbNamed(true, second), help);
  const isVerbOnly = Object.hasOwn(busVerbs, first) && first !== "notify";
  if (isVerbOnly) return runVerb(context, output, await verbNamed(false, first), help);
  return runVerb(context, output, await verbNamed(false, "help"), words);
}

async function verbNamed(isAgent: boolean, name: string): Promise<VerbModule> {
  const entry = findVerb(isAgent ? agentVerbs : { ...busVerbs, ...unlistedVerbs }, name);
  if (entry === undefined) throw unknownVerb(isAgent, name);
  return verbOf(entry);
}

async function printVersion(context: Context, output: Output): Promise<Outcome> {
  await output.line(`mix ${context.version}`);
  return done;
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
  const args = parseArguments(words, { ...spec, flags: { ...spec.flags, ...commonFlags, ...versionFlag } });
  if (args.switch("version")) return printVersion(context, output);
  args.choice("color", colourWishes);
  if (args.switch("help")) {
    await output.lines(verbHelp(spec));
    return done;
  }
  const opened: ReadingBus[] = [];
  const open = async <Bus extends ReadingBus>(
    target: ConnectTarget,
    how: Connector<Bus>,
    kind?: CitizenKind,
  ): Promise<Bus> => {
    const autostart = !args.switch("no-autostart") && context.env["AGENTD_AUTOSTART"] !== "0";
    const bus = notingSession(context, spec, await how(context, output, { target, autostart, ...(kind && { kind }) }));
    opened.push(bus);
    if (target !== "bus" && opened.length === 1) warnOtherBuild(context, output);
    return bus;
  };
  const invocation: Invocation = {
    context,
    output,
    args,
    connect: (target, kind) => open(target, connectCitizen, kind),
    read: (target) => open(target, connectReader),
  };
  try {
    return (await run(invocation)) ?? done;
  } catch (error) {
    const known = asAgentError(error);
    throw known instanceof AgentError ? await withContext(known, args, spec, opened[0]) : known;
  } finally {
    await Promise.all(opened.map((bus) => bus.close()));
  }
}

/** Adds the command id of the command line to an error that does not name it, mix's own words, and what was meant. */
async function withContext(
  error: AgentError,
  args: Arguments,
  { flags }: VerbModule["spec"],
  bus: ReadingBus | undefined,
): Promise<MixError> {
  const commandId = flags["id"] === undefined ? undefined : args.text("id");
  const details = { command_id: commandId, ...error.details };
  const { code, message } = inWordsOfMix(error);
  const meant = code === "SESSION_UNKNOWN" ? await meantSession(bus, error.details["session"]) : undefined;
  const question = meant === undefined ? "" : `; did you mean ${meant}?`;
  return new MixError(code, message + question, { details, cause: error.cause ?? error });
}

/** Ignores failures: the refusal itself is reported. */
async function meantSession(bus: ReadingBus | undefined, typed: unknown): Promise<string | undefined> {
  if (bus === undefined || typeof typed !== "string") return undefined;
  return similarSession(bus, typed).catch(() => undefined);
}

/** Remembers the session that a verb uses, and adds it to errors that do not name it. */
function notingSession<Bus extends ReadingBus>(context: Context, { usage }: VerbModule["spec"], bus: Bus): Bus {
  const remembers = usage.includes("[session") || usage.startsWith("agent start ");
  let isRemembered = false;
  const ask: ReadingBus["ask"] = async (verb, args) => {
    try {
      const reply = await bus.ask(verb, args);
      if (remembers && !isRemembered && verb.startsWith("agent.session.") && "session" in reply && reply.session) {
        isRemembered = true;
        rememberSession(context, reply.session);
      }
      return reply;
    } catch (error) {
      const session = "session" in args ? args.session : undefined;
      if (!(error instanceof AgentError) || session === undefined) throw error;
      const { code, message, details } = error;
      throw new AgentError(code, message, { details: { session, ...details }, cause: error.cause ?? error });
    }
  };
  return { ...bus, ask };
}

function unknownVerb(isAgent: boolean, name: string): MixError {
  const names = Object.keys(isAgent ? agentVerbs : busVerbs);
  const meant = meantVerb(isAgent, name, names);
  if (meant !== undefined) return usageError(`no verb ${name}; did you mean ${meant}?`);
  const others = isAgent ? names.join(", ") : ["agent <verb>", ...names].join(", ");
  return usageError(`no verb ${name}; there are: ${others}`);
}

/** Finds what was mistyped, left out (`mix ls`) or is called so elsewhere (`docker rm`). */
function meantVerb(isAgent: boolean, name: string, names: readonly string[]): string | undefined {
  if (!isAgent && findVerb(agentVerbs, name) !== undefined) return `mix agent ${name}`;
  if (isAgent && findVerb(busVerbs, name) !== undefined) return `mix ${name}`;
  return (
    (isAgent && Object.hasOwn(otherNames, name) ? otherNames[name] : undefined) ??
    closestWord(name, isAgent ? names : ["agent", ...names]) ??
    onlyOne(names.filter((one) => name.length >= prefixLengthMin && one.startsWith(name)))
  );
}

const prefixLengthMin = 3;

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** Names of verbs in docker, kubectl, gh and other programs. */
const otherNames: Readonly<Record<string, string>> = {
  list: "ls",
  logs: "log",
  tail: "log -f",
  run: "start",
  new: "start",
  exec: "send",
  prompt: "send",
  continue: "resume",
  inspect: "show",
  view: "show",
  describe: "show",
  get: "show",
  info: "show",
  usage: "show",
  history: "show --transcript, or log",
  sessions: "ls",
  restart: "resume",
  watch: "attach",
  rm: "close, or purge to remove an ended session's log",
  delete: "close, or purge to remove an ended session's log",
  kill: "cancel a turn, or close the session",
  approve: "permit allow",
  allow: "permit allow",
  deny: "permit deny",
};

// Determined before the words are parsed, so that usage errors are written in this mode too.
function wantedMode(words: readonly string[]): OutputMode {
  const own = wordsBeforeDashes(words);
  if (own.includes("--json")) return "json";
  // Short flags may be combined: -aq.
  return own.some((word) => word === "--quiet" || /^-[a-z]*q[a-z]*$/.test(word)) ? "ids" : "people";
}
