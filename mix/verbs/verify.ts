// SPDX-License-Identifier: MIT OR Apache-2.0
import { done } from "../process/exit-codes.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { askMaintenance, formatCount } from "./log-maintenance.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { printableLine } from "../../display/printable.ts";

export const spec: VerbSpec = {
  usage: "agent verify",
  about:
    "Checks the log: that nothing was changed, left out or put in since it was written, and that its file is sound. Exit 1 where it is not, with each problem on a line.",
  flags: {},
  positionals: { min: 0, max: 0 },
  examples: ["mix agent verify && echo sound"],
};

export async function run({ output, connect }: Invocation): Promise<Outcome> {
  const bus = await connect("agentd");
  const reply = await askMaintenance(bus, "agent.log.verify", {});
  const { ok, problems, sessions, entries, redacted_commits: redacted } = reply;
  if (output.mode === "json") await output.document("mix.verified.v1", reply);
  else for (const problem of problems) await output.line(printableLine(problem));
  if (!ok) return { kind: "refused", code: "LOG_DAMAGED" };
  const commits = redacted === 0 ? "" : `; in ${formatCount(redacted, "commit")} something was redacted`;
  output.word(
    `the log is sound: ${formatCount(entries, "entry", "entries")} of ${formatCount(sessions, "session")}${commits}`,
  );
  return done;
}
