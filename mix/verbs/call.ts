// SPDX-License-Identifier: MIT OR Apache-2.0
import { assignment, jsonOrText } from "../input/assignments.ts";
import { jsonText } from "../process/json-text.ts";
import { usageError } from "../process/mix-error.ts";
import { warnOtherBuild } from "../daemon/other-build.ts";
import { readPrompt } from "../input/read-input.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "call <service> <command> [key=value…]",
  about:
    'Calls a service and prints its reply. A value that is JSON (3, true, null, [1], {"a":1}, "text") is sent as JSON, anything else as text. `-` reads the whole body from stdin.',
  flags: {
    timeout: { kind: "text", value: "TIME", about: "how long to wait for the reply (default 60s)", isMain: true },
  },
  positionals: { min: 2, max: 1_000 },
  examples: ["mix call agent agent.session.list limit=5", `mix call agent agent.session.get session='"abc"'`],
  neverStarts: true,
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, context, output } = invocation;
  const [service, command, ...words] = args.positionals;
  const timeoutMs = args.duration("timeout");
  const fromStdin = words.length === 1 && words[0] === "-";
  const body = fromStdin ? await readPrompt(context, words, undefined) : undefined;
  const values = fromStdin ? {} : parseArguments(words);
  const bus = await invocation.connect("bus");
  if (service === "agent") warnOtherBuild(context, output);
  const reply = await bus.call(service ?? "", command ?? "", words.length === 0 || fromStdin ? undefined : values, {
    ...(body === undefined ? {} : { body }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const value = jsonOrText(reply.body);
  if (output.mode === "json") await output.document("mix.reply.v1", { rc: reply.rc, body: value });
  else if (reply.body !== "") await output.lines(typeof value === "string" ? value : jsonText(value, 2));
  if (reply.rc > 0) output.notice(`warning: rc ${reply.rc}`);
}

function parseArguments(words: readonly string[]): Record<string, unknown> {
  const values = words.map(assignment).map(([key, text]) => [key, jsonOrText(text)] as const);
  const keys = new Set(values.map(([key]) => key));
  if (keys.size < values.length) throw usageError("a key is given more than once");
  return Object.fromEntries(values);
}
