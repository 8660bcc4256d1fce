// SPDX-License-Identifier: MIT OR Apache-2.0
import { completionScript } from "../completion-script.ts";
import type { CompletedVerb } from "../completion-script.ts";
import type { Candidates } from "../completed-words.ts";
import { done } from "../process/exit-codes.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { usageError } from "../process/mix-error.ts";
import { commonFlags } from "../input/verb.ts";
import type { Invocation, VerbModule, VerbSpec, VerbTable } from "../input/verb.ts";

const spec: VerbSpec = {
  usage: "completion bash|zsh|fish",
  about: "Prints a completion script for a shell. Completing never starts a daemon.",
  flags: {},
  positionals: { min: 1, max: 1 },
  examples: ["mix completion bash > ~/.local/share/bash-completion/completions/mix", "mix completion fish | source"],
  neverStarts: true,
};

/** The verb is itself one of those that it completes: the tables are given, as they load this file. */
export function completionVerb(agentVerbs: VerbTable, busVerbs: VerbTable): VerbModule {
  return { spec, run: (invocation) => run(invocation, agentVerbs, busVerbs) };
}

async function run({ args, output }: Invocation, agentVerbs: VerbTable, busVerbs: VerbTable): Promise<Outcome> {
  const shell = args.word(0);
  if (shell !== "bash" && shell !== "zsh" && shell !== "fish")
    throw usageError(`no completion for ${shell}; usage: mix ${spec.usage}`);
  const { agentWords, busWords } = await import("../completed-words.ts");
  const agent = await completed(agentVerbs, agentWords);
  await output.lines(completionScript(shell, agent, await completed(busVerbs, busWords)));
  return done;
}

async function completed(
  verbs: VerbTable,
  words: Readonly<Record<string, readonly Candidates[]>>,
): Promise<CompletedVerb[]> {
  return Promise.all(
    Object.entries(verbs).map(async ([name, entry]) => {
      const { spec: own } = await entry.load();
      const flags = Object.entries({ ...own.flags, ...commonFlags }).map(([flag, { kind }]) => ({
        name: flag,
        takesValue: kind !== "switch",
      }));
      return { name, summary: entry.summary, flags, words: words[name] ?? [] };
    }),
  );
}
