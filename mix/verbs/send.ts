// SPDX-License-Identifier: MIT OR Apache-2.0
import { done, type Outcome } from "../process/exit-codes.ts";
import { watchTurn } from "../watch/watch-turn.ts";
import { usageError } from "../process/mix-error.ts";
import { readPrompt } from "../input/read-input.ts";
import { commandIdFlag, type Invocation, type VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "agent send <session> [prompt]",
  about: "Sends a prompt to a session and follows its turn. The prompt `-` is read from stdin.",
  flags: {
    queue: { kind: "switch", about: "queue the prompt while a turn runs (default: refuse)" },
    "no-wait": { kind: "switch", about: "return as soon as the prompt is accepted" },
    file: { kind: "text", value: "FILE", about: "read the prompt from a file" },
    ...commandIdFlag,
  },
  positionals: { min: 1, max: 1_000 },
  examples: ['mix agent send abc "now the tests" --queue'],
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, context, output } = invocation;
  const prompt = await readPrompt(context, args.positionals.slice(1), args.text("file"));
  if (prompt === undefined) throw usageError(`a prompt is missing; usage: mix ${spec.usage}`);
  const bus = await invocation.connect("agentd");
  const reply = await bus.ask("agent.session.prompt", {
    session: args.word(0),
    prompt,
    when_busy: args.switch("queue") ? "queue" : "refuse",
    command_id: args.text("id"),
  });
  const { session, turn, queued, seq } = reply;
  if (args.switch("no-wait")) {
    await (output.mode === "json" ? output.document("mix.sent.v1", reply) : output.line(`${turn}`));
    return done;
  }
  if (output.mode === "ids") await output.line(`${turn}`);
  if (queued) output.word(`turn ${turn} of ${session} is queued behind another turn`);
  return watchTurn(invocation, bus, {
    session,
    turn,
    after: seq - 1,
    closes: false,
    onlyTurn: true,
    // Only the view for people needs the directory, to shorten paths below it.
    ...(output.mode === "people" ? { directory: (await bus.ask("agent.session.get", { session })).cwd } : {}),
  });
}
