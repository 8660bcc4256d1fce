// SPDX-License-Identifier: MIT OR Apache-2.0
// Called by the shells' completion scripts. Starts no daemon, prints no errors, and answers within about a second.
import { type Candidate, completionOf, type Listed, type VerbTables } from "../completion/candidates.ts";
import { candidateLine, listedValues } from "../completion/listed-values.ts";
import type { Context } from "../process/context.ts";
import type { Invocation, VerbModule, VerbSpec } from "../input/verb.ts";

const spec: VerbSpec = {
  usage: "complete -- [word…]",
  about:
    "For completion scripts: prints candidates for the last word. The first line says what the shell completes by itself: `files`, `directories` or `nothing`. Each further line is a candidate: value, tab, description.",
  flags: {},
  positionals: { min: 0, max: 100_000 },
  examples: ["mix complete -- agent close ''"],
  neverStarts: true,
};

/** Takes the tables as a parameter, because they load this file: an import would be circular. */
export function completeVerb(tables: VerbTables): VerbModule {
  return { spec, run: (invocation) => run(invocation, tables) };
}

async function run({ args, context, output, read }: Invocation, tables: VerbTables): Promise<void> {
  const list = async (what: Listed): Promise<readonly Candidate[]> => {
    const request = async () => listedValues(context, await read("running-agentd"), what);
    return (
      (await within(
        context,
        request().catch(() => undefined),
      )) ?? []
    );
  };
  const { byShell, candidates } = await completionOf(args.positionals, tables, list);
  const lines = candidates.map(candidateLine).filter((line) => line !== undefined);
  await output.lines([byShell, ...lines].join("\n"));
}

/** Returns undefined if the work takes longer than a person waits for a TAB. */
async function within<T>(context: Context, work: Promise<T>): Promise<T | undefined> {
  let cancelTimer: (() => void) | undefined;
  const late = new Promise<undefined>((resolve) => {
    cancelTimer = context.after(candidatesTimeoutMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancelTimer?.();
  }
}

const candidatesTimeoutMs = 1_000;
