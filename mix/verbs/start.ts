// SPDX-License-Identifier: MIT OR Apache-2.0
import { basename, join } from "node:path";
import type { StartReply } from "../../agentd/vocabulary/replies.ts";
import type { VerbInput } from "../../agentd/vocabulary/verbs.ts";
import { findOnPath } from "../../files/find-on-path.ts";
import { absolutePath } from "../process/absolute-path.ts";
import { usageError } from "../process/mix-error.ts";
import { assignment, optionValue } from "../input/assignments.ts";
import { commandWords } from "../input/command-words.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
import { watchStart, watchTurn } from "../watch/watch-turn.ts";
import { readPrompt } from "../input/read-input.ts";
import { sayNextStep } from "../watch/say-next-step.ts";
import { commandIdFlag, type Invocation, promptFlags, type VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "agent start <agent> [prompt]",
  about: "Starts an agent as a session and follows its first turn. A prompt `-` is stdin.",
  flags: {
    command: { kind: "text", value: "LINE", about: "any program instead of <agent>; logged: secrets by --env" },
    cwd: { kind: "text", value: "DIR", about: "session directory (default: current; demo: a new one)" },
    "add-dir": { kind: "texts", value: "DIR", about: "another directory that the agent may use" },
    name: { kind: "text", value: "NAME", about: "a name for the session", isMain: true },
    set: { kind: "texts", value: "OPT=VALUE", about: "set an option before the prompt: mode, …" },
    env: { kind: "texts", value: "NAME", about: "environment variable to pass on, by name" },
    policy: { kind: "text", value: "POLICY", about: "answers for you: reads, edits, or one of your own" },
    ...promptFlags,
    close: { kind: "switch", about: "close the session after its turn", isMain: true },
    detach: { kind: "switch", short: "d", about: "print the session's id and return at once", isMain: true },
    ...commandIdFlag,
  },
  // With --command no agent is named.
  positionals: { min: 0, max: 1_000 },
  examples: ['mix agent start demo "write hello.txt" --policy edits --close'],
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, output } = invocation;
  if (args.switch("no-ask") && args.switch("detach")) throw usageError("--no-ask must follow the turn; leave -d out");
  const request = await parseStartRequest(invocation);
  const bus = await invocation.connect("agentd");
  const reply = await bus.ask("agent.session.start", request);
  if (args.switch("detach")) {
    await (output.mode === "json" ? output.document("mix.started.v1", reply) : output.line(reply.session));
    return done;
  }
  if (output.mode === "ids") await output.line(reply.session);
  output.word(`session ${reply.session} (${request.agent}${request.name === undefined ? "" : ` ${request.name}`})`);
  const outcome = await followFirstTurn(invocation, bus, reply, request.prompt !== undefined);
  if (outcome.kind !== "left" && outcome.kind !== "interrupted") await sayNextStep(invocation, bus, reply.session);
  return outcome;
}

async function parseStartRequest({ args, context }: Invocation): Promise<VerbInput<"agent.session.start">> {
  const line = args.text("command");
  const command = line === undefined ? undefined : agentCommand(line, context);
  const agent = command === undefined ? args.word(0) : basename(command[0]);
  const words = command === undefined ? args.positionals.slice(1) : args.positionals;
  return {
    agent,
    command,
    cwd: chooseDirectory(args.text("cwd"), command === undefined && agent === "demo", context.cwd),
    additional_dirs: args.texts("add-dir").map((directory) => absolutePath(context.cwd, directory)),
    config: Object.fromEntries(
      args.texts("set").map((word) => {
        const [option, value] = assignment(word);
        return [option, optionValue(value)];
      }),
    ),
    env: [...args.texts("env")],
    prompt: await readPrompt(context, words, args.text("file")),
    command_id: args.text("id"),
    name: args.text("name"),
    policy: args.text("policy"),
  };
}

// The demo agent writes files, so without --cwd agentd gives it a new directory of its own.
function chooseDirectory(given: string | undefined, isDemo: boolean, cwd: () => string): string | undefined {
  if (given !== undefined) return absolutePath(cwd, given);
  return isDemo ? undefined : cwd();
}

/** Finds the program as the caller's shell would: agentd has another directory, and may have another PATH. */
function agentCommand(line: string, { cwd, env, home }: Invocation["context"]): [string, ...string[]] {
  const [program, ...args] = commandWords(line);
  if (program === undefined || program === "") throw usageError("--command names no program");
  if (program.startsWith("~/")) return [join(home, program.slice(2)), ...args];
  if (program.includes("/")) return [absolutePath(cwd, program), ...args];
  return [findOnPath(program, env["PATH"]) ?? program, ...args];
}

async function followFirstTurn(
  invocation: Invocation,
  bus: AgentBus,
  reply: StartReply,
  hasPrompt: boolean,
): Promise<Outcome> {
  const { session } = reply;
  const after = reply.seq - 1;
  const closes = invocation.args.switch("close");
  const watched = { session, called: invocation.args.text("name"), after, noAsk: invocation.args.switch("no-ask") };
  if (hasPrompt) return watchTurn(invocation, bus, { ...watched, turn: reply.turn ?? 1, closes, onlyTurn: false });
  const outcome = await watchStart(invocation, bus, watched);
  if (closes && outcome.kind === "done") await bus.ask("agent.session.close", { session });
  return outcome;
}
