// SPDX-License-Identifier: MIT OR Apache-2.0
import { commandIdFlag, type Invocation, type VerbSpec } from "../input/verb.ts";
import { sessionReference } from "../references/session-reference.ts";

export const spec: VerbSpec = {
  usage: "agent rename <session> <name>",
  about:
    'Gives a session another name, by which every verb finds it. No two live sessions have one name. The name "" removes it.',
  flags: commandIdFlag,
  examples: ["mix agent rename abc fix-the-build", 'mix agent rename fix-the-build ""'],
  sessions: "any",
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, output } = invocation;
  const bus = await invocation.connect("agentd");
  const reply = await bus.ask("agent.session.rename", {
    session: await sessionReference(invocation, bus, args.word(0)),
    name: args.word(1),
    command_id: args.text("id"),
  });
  const { session, name } = reply;
  if (output.mode === "json") await output.document("mix.renamed.v1", reply);
  else if (output.mode === "ids") await output.line(session);
  else await output.line(name === "" ? `${session} has no name now` : `${session} is ${name} now`);
}
