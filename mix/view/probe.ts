// SPDX-License-Identifier: MIT OR Apache-2.0
// The result of a probe, as lines for people and as a table of a Markdown document.
import type { ProbeCell, ProbeReply, ProbeStep } from "../../agentd/vocabulary/probe.ts";
import { printableLine } from "../../display/printable.ts";
import { formatBytes, formatCount } from "../../display/units.ts";

const titles: Readonly<Record<ProbeStep, string>> = {
  initialize: "start to initialize",
  memory: "memory after initialize",
  new_session: "session/new",
  prompt: "a turn with a text",
  permission: "a turn that writes a file",
  cancel: "cancel of a turn",
  bus_tools: "MCP server for the Bus",
  memory_after_turns: "memory after the turns",
  stop: "end after its stdin is closed",
  load: "session/load",
  load_again: "session/load again",
  resume: "session/resume",
};

const marks = { ok: "✔", no: "·", failed: "✘", skipped: "–" } as const;

export function probeLines(reply: ProbeReply): string[] {
  const rows = [...aboutRows(reply), ...cellRows(reply)];
  const width = Math.max(...rows.map(([, title]) => title.length));
  return rows.map(([mark, title, text]) => printableLine(`${mark} ${title.padEnd(width)}  ${text}`.trimEnd()));
}

/** A table with a caption that says which version was probed, when and how. */
export function probeSection(reply: ProbeReply): string {
  const { agent, depth, probed_at: at, agent_info: info } = reply;
  const version = info === null ? "did not answer" : cell(`${info.name} ${info.version}`);
  const rows = [...aboutRows(reply).slice(1), ...cellRows(reply)].map(
    ([mark, title, text]) => `| ${title} | ${mark} | ${cell(text)} |`,
  );
  return [
    `**${agent}**: ${version}, ${depth === "full" ? "full probe" : "initialize alone"}, ${at.slice(0, 10)}`,
    "",
    "| | | |",
    "| --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/** Puts the section between the agent's markers, or at the end with new ones. */
export function withProbe(document: string, agent: string, section: string): string {
  const [begin, end] = [`<!-- probe ${agent} -->`, `<!-- /probe ${agent} -->`];
  const block = `${begin}\n\n${section}\n\n${end}`;
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) return `${document.trimEnd()}\n\n${block}\n`;
  return `${document.slice(0, from)}${block}${document.slice(to + end.length)}`;
}

type Row = readonly [mark: string, title: string, text: string];

function aboutRows({
  agent_info: info,
  protocol_version: version,
  capabilities,
  auth_methods: methods,
}: ProbeReply): Row[] {
  if (version === null) return [["✘", "agent", "did not answer initialize"]];
  const offered = Object.entries(capabilities).flatMap(([name, offers]) => (offers ? [name] : []));
  return [
    ["✔", "agent", info === null ? "does not say its name" : `${info.name} ${info.version}`],
    ["✔", "protocol", String(version)],
    ["✔", "capabilities", offered.join(", ") || "none"],
    ["✔", "login methods", methods.join(", ") || "none"],
  ];
}

function cellRows({ cells }: ProbeReply): Row[] {
  return cells.map((one) => [marks[one.result], titles[one.step], describe(one)]);
}

function describe({ step, result, ms, bytes, processes, text }: ProbeCell): string {
  const isMemory = step === "memory" || step === "memory_after_turns";
  return [
    ms === undefined ? undefined : `${ms} ms`,
    bytes === undefined ? undefined : formatBytes(bytes),
    isMemory && processes !== undefined ? formatCount(processes, "process", "processes") : undefined,
    text ?? (result === "skipped" ? "not looked at" : undefined),
  ]
    .filter((part) => part !== undefined)
    .join(", ");
}

/** What an agent wrote must not end the cell, or the comment that marks the table. */
function cell(text: string): string {
  return printableLine(text).replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
