// SPDX-License-Identifier: MIT OR Apache-2.0
import { jsonOrText } from "../input/assignments.ts";
import { MixError } from "../process/mix-error.ts";
import { type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { detectFit, formatTable } from "../view/table.ts";

export const spec: VerbSpec = {
  usage: "help <service>",
  about: "Lists a service's verbs, as the service describes them.",
  flags: tableFlag,
  examples: ["mix help agent"],
};

interface OfferedVerb {
  readonly name: string;
  readonly args: readonly string[];
  readonly description: string;
}

/** A reply to HELP can come from any service, so its members are unchecked. */
type UncheckedVerb = { readonly [Member in keyof OfferedVerb]?: unknown };

export async function run({ args, context, output, connect }: Invocation): Promise<void> {
  const service = args.word(0);
  // mix can start agentd, so `mix help agent` starts it where none runs.
  const bus = await connect(service === "agent" ? "agentd" : "bus");
  const verbs = parseVerbs((await bus.call(service, "HELP")).body);
  if (output.mode === "json") await output.document("mix.help.v1", { service, verbs });
  else if (output.mode === "ids") for (const { name } of verbs) await output.line(name);
  else {
    const rows = formatTable(
      verbs.map(({ name, description }) => [name, description]),
      detectFit(context, args.switch("no-trunc")),
      [{ column: 1, min: 16 }],
    );
    for (const [index, { args: words }] of verbs.entries()) {
      await output.line(rows[index] ?? "");
      if (words.length > 0) await output.line(`    ${words.join(" ")}`);
    }
  }
}

function parseVerbs(body: string): OfferedVerb[] {
  const listed = jsonOrText(body);
  if (!Array.isArray(listed)) throw new MixError("CALL_FAILED", "the service's reply to HELP is not a list");
  return listed.map((one: UncheckedVerb | null) => ({
    ...one,
    name: text(one?.name),
    args: Array.isArray(one?.args) ? one.args.map(text) : [],
    description: text(one?.description),
  }));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
