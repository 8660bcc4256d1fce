// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Outcome } from "../process/exit-codes.ts";
import { formatCount } from "../../display/units.ts";
import { askMaintenance } from "./log-maintenance.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";

export const spec: VerbSpec = {
  usage: "agent verify",
  about:
    "Checks that nothing in the log was changed, removed or inserted since it was written, and that its file is intact. Otherwise exits 1 and prints each problem on a line.",
  flags: {},
  examples: ["mix agent verify && echo intact"],
};

export async function run({ output, connect }: Invocation): Promise<Outcome | void> {
  const bus = await connect("agentd");
  const reply = await askMaintenance(bus, "agent.log.verify", {});
  const { ok, problems, sessions, entries, redacted_commits: redacted } = reply;
  if (output.mode === "json") await output.document("mix.verified.v1", reply);
  else for (const problem of problems) await output.line(problem);
  if (!ok) return { kind: "refused", code: "LOG_DAMAGED" };
  const redactions = redacted === 0 ? "" : `; ${formatCount(redacted, "commit")} with redactions`;
  output.word(
    `the log is intact: ${formatCount(entries, "entry", "entries")} of ${formatCount(sessions, "session")}${redactions}`,
  );
}
