// SPDX-License-Identifier: MIT OR Apache-2.0
import type { StatusReply } from "../../agentd/vocabulary/replies.ts";
import { buildWords } from "../../files/installed-build.ts";
import { homePath } from "../process/home-path.ts";
import { type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { formatAge, formatBytes } from "../../display/units.ts";
import { detectFit, formatFacts, formatTable, type TableFit } from "../view/table.ts";

export const spec: VerbSpec = {
  usage: "agent status",
  about: "Shows the daemon: process, Bus, log, configuration, limits. Never starts one; exit 6 if none runs.",
  flags: { limits: { kind: "switch", about: "list every limit too", isMain: true }, ...tableFlag },
  examples: ["mix agent status"],
  neverStarts: true,
};

export async function run({ args, context, output, read }: Invocation): Promise<void> {
  const bus = await read("running-agentd");
  const status = await bus.ask("agent.status", {});
  const fit = detectFit(context, args.switch("no-trunc"));
  if (output.mode === "json") await output.document("mix.status.v1", status);
  else if (output.mode === "ids") await output.line(`${status.pid}`);
  else for (const line of formatStatus(status, context.now(), args.switch("limits"), fit)) await output.line(line);
}

function describePeople({ service, state }: NonNullable<StatusReply["people"]>): string {
  if (service === null) return "asked by mix agent permit and answer only";
  return state === "there"
    ? `asked by ${service}`
    : `asked by mix agent permit and answer only: ${service} is not on the Bus`;
}

/** Describes an installed agentd that differs from the running one. */
function describeInstalled(installed: NonNullable<StatusReply["installed"]> | null): string {
  const build = installed === null ? "the files that agentd was started from are gone" : buildWords(installed);
  return `${build}: restart the running agentd (mix agent stop, or systemctl --user restart agentd)`;
}

function formatStatus(status: StatusReply, now: number, withLimits: boolean, fit: TableFit): string[] {
  const { bus, log, config, sessions } = status;
  const facts: [string, string][] = [
    ["agentd", `${buildWords(status)}, pid ${status.pid}, up ${formatAge(now - Date.parse(status.started_at))}`],
    ...(status.installed === undefined ? [] : [["installed", describeInstalled(status.installed)] as [string, string]]),
    ["Bus", `${bus.url}${bus.embedded ? " (embedded)" : ""}, ${bus.state}`],
    ["log", `${homePath(log.file, fit)}, ${formatBytes(log.bytes)} on disk, id ${log.id}`],
    ...(log.error === undefined ? [] : [["failed", `${log.error}: nothing can run`] as [string, string]]),
    ["configuration", `${homePath(config.file, fit)}${config.loaded ? "" : " (no file: defaults apply)"}`],
    ...(config.error?.split("\n") ?? []).map((line, index) => [index === 0 ? "refused" : "", line] as [string, string]),
    ...(status.people === undefined ? [] : [["people", describePeople(status.people)] as [string, string]]),
    ["sessions", `${sessions.live} live, at most ${sessions.max}`],
  ];
  if (!withLimits) return formatFacts(facts, fit);
  const limits = status.limits.map(({ name, value, unit, description }) => {
    return [name, value === null ? "none" : `${value} ${unit}`, description];
  });
  return [...formatFacts(facts, fit), "", ...formatTable(limits, fit, [{ column: 2, min: 16 }])];
}
