// SPDX-License-Identifier: MIT OR Apache-2.0
import { shells, stubs } from "../completion/stubs.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { misused } from "../input/arguments.ts";

export const spec: VerbSpec = {
  usage: "completion bash|zsh|fish",
  about: "Prints a completion script for a shell. Completing never starts a daemon.",
  flags: {},
  positionals: { min: 1, max: 1 },
  examples: [
    "mix completion bash > ~/.local/share/bash-completion/completions/mix",
    'mix completion zsh > "${fpath[1]}/_mix"',
    "mix completion fish | source",
  ],
  neverStarts: true,
};

export async function run({ args, output }: Invocation): Promise<void> {
  const wanted = args.word(0);
  const shell = shells.find((one) => one === wanted);
  if (shell === undefined) throw misused(spec.usage, `no completion for ${wanted}`);
  await output.lines(stubs[shell]);
}
