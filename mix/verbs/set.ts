// SPDX-License-Identifier: MIT OR Apache-2.0
import type { SessionOption } from "../../agentd/vocabulary/entries.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { assignment } from "../input/assignments.ts";
import { misused } from "../input/arguments.ts";
import { commandIdFlag, type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { detectFit } from "../view/table.ts";
import { formatOptionTable } from "../view/reply-tables.ts";
import { sessionReference } from "../references/session-reference.ts";

export const spec: VerbSpec = {
  usage: "agent set [session] option=value…",
  about: "Sets a session's options, one after another, and prints all of them. `mix agent show` lists them.",
  flags: { ...tableFlag, ...commandIdFlag },
  positionals: { min: 1, max: 64 },
  examples: ["mix agent set mode=plan", "mix agent set abc mode=plan"],
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, output } = invocation;
  // No session's name contains an equals sign.
  const [first = ""] = args.positionals;
  const [named, words] = first.includes("=") ? [undefined, args.positionals] : [first, args.positionals.slice(1)];
  if (words.length === 0) throw misused(spec.usage, "option=value is missing");
  const wanted = words.map(assignment);
  const id = args.text("id");
  const bus = await invocation.connect("agentd");
  const session = await sessionReference(invocation, bus, named);
  let options: readonly SessionOption[] = (await bus.ask("agent.session.get", { session })).options;
  for (const [index, [option, text]] of wanted.entries()) {
    const value = toOptionValue(options, option, text);
    const commandId = id === undefined || index === 0 ? id : `${id}-${index + 1}`;
    const reply = await bus
      .ask("agent.session.set_config", { session, option, value, command_id: commandId })
      .catch((error: unknown) => {
        throw error instanceof AgentError ? withValue(error, text) : error;
      });
    options = reply.options;
  }
  if (output.mode === "json") await output.document("mix.options.v1", { session, options });
  else
    for (const line of output.mode === "ids"
      ? options.map(({ option }) => option)
      : formatOptionTable(options, detectFit(invocation.context, args.switch("no-trunc"))))
      await output.line(line);
}

/** Adds the value, so that the error can say which one was meant. */
function withValue(error: AgentError, value: string): AgentError {
  const { code, message, details } = error;
  return new AgentError(code, message, { details: { ...details, value }, cause: error });
}

// Only boolean options get a boolean, because `true` can also be the name of a choice.
function toOptionValue(options: readonly SessionOption[], option: string, text: string): string | boolean {
  const known = options.find((one) => one.option === option);
  if (known?.type !== "boolean") return text;
  if (/^(true|on|yes|1)$/i.test(text)) return true;
  return /^(false|off|no|0)$/i.test(text) ? false : text;
}
