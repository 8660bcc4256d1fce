// SPDX-License-Identifier: MIT OR Apache-2.0
import { logEntries } from "../../agent-client/entries/read-log.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { sessionReference } from "../references/session-reference.ts";

export const spec: VerbSpec = {
  usage: "agent export [session]",
  about:
    "Writes a session to stdout, one JSON object per line: its current state, then every entry up to that state, in order.",
  flags: {},
  examples: ["mix agent export abc > abc.ndjson"],
  sessions: "any",
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, output, read } = invocation;
  const bus = await read("agentd");
  const snapshot = await bus.ask("agent.session.get", {
    session: await sessionReference(invocation, bus, args.positionals[0], spec.sessions),
  });
  await output.row({ schema: "mix.export.v1", snapshot });
  for await (const entry of logEntries(bus, snapshot.session, 0)) {
    // A live session continues meanwhile; the export ends at the state of its first line.
    if (entry.seq > snapshot.last_seq) break;
    await output.row(entry);
  }
}
