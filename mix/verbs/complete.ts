// SPDX-License-Identifier: MIT OR Apache-2.0
// What the shells' completion scripts call. It starts nothing, says nothing where something fails, and answers soon.
import { type Candidate, completionOf, type Listed, type VerbTables } from "../completion/candidates.ts";
import { candidateLine, listedValues } from "../completion/listed-values.ts";
import type { Context } from "../process/context.ts";
import { done } from "../process/exit-codes.ts";
import type { Outcome } from "../process/exit-codes.ts";
import type { Invocation, VerbModule, VerbSpec } from "../input/verb.ts";

const spec: VerbSpec = {
  usage: "complete -- [word…]",
  about:
    "For completion scripts: what may stand at the last word. First `files`, `directories` or `nothing` (what the shell completes by itself), then a line for each candidate: value, tab, words about it.",
  flags: {},
  positionals: { min: 0, max: 100_000 },
  examples: ["mix complete -- agent close ''"],
  neverStarts: true,
};

/** The verb completes the tables that load this file, so they are handed in. */
export function completeVerb(tables: VerbTables): VerbModule {
  return { spec, run: (invocation) => run(invocation, tables) };
}

async function run({ args, context, output, read }: Invocation, tables: VerbTables): Promise<Outcome> {
  const list = async (what: Listed): Promise<readonly Candidate[]> => {
    const asked = async () => listedValues(await read("running-agentd"), what);
    return (
      (await within(
        context,
        asked().catch(() => undefined),
      )) ?? []
    );
  };
  const { byShell, candidates } = await completionOf(args.positionals, tables, list);
  const lines = candidates.map(candidateLine).filter((line) => line !== undefined);
  await output.lines([byShell, ...lines].join("\n"));
  return done;
}

/** Undefined where it takes longer than a person waits for a TAB. */
async function within<T>(context: Context, work: Promise<T>): Promise<T | undefined> {
  let callOff: (() => void) | undefined;
  const late = new Promise<undefined>((resolve) => {
    callOff = context.after(listedWithinMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    callOff?.();
  }
}

const listedWithinMs = 1_000;
