// SPDX-License-Identifier: MIT OR Apache-2.0
// Replaces what differs from one run to the next: ids, names, times, durations, versions, sizes and paths. A replacement is
// as wide as what it replaces where that has a fixed width, so that columns stay aligned.
import { fileURLToPath } from "node:url";

interface Machine {
  readonly home: string;
  readonly columns: number;
}

const repository = fileURLToPath(new URL("../..", import.meta.url));

export function normalise(text: string, { home, columns }: Machine): string {
  const named = lettersForIds(text.replaceAll(home, "/home/ann"));
  return named
    .split("\n")
    .map((line) => replaceValues(alignTimes(line, columns)))
    .join("\n");
}

/** The first session is `aaaaaaaaaaaa`, the second `bbbbbbbbbbbb`; names on the Bus are numbered in the same way. */
function lettersForIds(text: string): string {
  let named = text;
  for (const pattern of [
    /(?<=\bsession )[a-z2-7]{12}\b/g,
    /(?<=\bmix-)[a-z2-7]{6}\b/g,
    /(?<=\bcursor +)[a-z2-7]{12}\b/g,
  ]) {
    const ids = new Set(Array.from(named.matchAll(pattern), ([id]) => id));
    const prefix = pattern.source.includes("mix-") ? "mix-" : "";
    const first = pattern.source.includes("cursor") ? "z" : "a";
    for (const [index, id] of Array.from(ids).entries()) {
      const letter = String.fromCharCode(first.charCodeAt(0) + index);
      named = named.replaceAll(prefix + id, prefix + letter.repeat(id.length));
    }
  }
  return named;
}

/** In tables a time is padded to one width, and the line is cut again where it was cut. */
function alignTimes(line: string, columns: number): string {
  const aligned = line.replace(/(?<= {2})(?:(?:\d+[smh](?: ago| left)?)|AGE|LEFT)(?= {2,}\S)( +)/, (cell) => {
    const words = cell.trim().replace(/\d+[smh]/, "0s");
    return `${words.padEnd(timeColumns)}  `;
  });
  if (aligned === line || !line.endsWith("…")) return aligned;
  return `${aligned.slice(0, columns - 1)}…`;
}

const timeColumns = 8;

const values: readonly (readonly [RegExp, string])[] = [
  [/^ *\d+(?=  \d\d:\d\d:\d\d  )/, "   1"],
  [/\b\d\d:\d\d:\d\d\b/g, "00:00:00"],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d\d-\d\d\b/g, "Mon 2000-01-01"],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/, "2000-01-01T00:00:00.000Z"],
  [/\b\d+\.\ds\b/g, "0.0s"],
  [/\b\d+[sm] ago$/, "0s ago"],
  [/\bwithin \d+m\b/, "within 10m"],
  [/\bup \d+[sm]\b/, "up 0s"],
  [/\brunning \d+s >/, "running 0s >"],
  [/\bpid \d+\b/g, "pid 1"],
  [/\bbuild [0-9a-f]{12}\b/g, "build 000000000000"],
  [/\d+\.\d [KMG]iB/g, "1.0 MiB"],
  [/\bv\d+\.\d+\.\d+\b/, "v20.0.0"],
  [/\bsession-\w{6}\b/g, "session-aaaaaa"],
  [/(\/aaaaaaaaaaaa)\/\d+$/, "$1/1"],
];

function replaceValues(line: string): string {
  // How much of the demo agent's command is shown depends on where this repository lies.
  const isDemo = /^demo +yes /.test(line) && line.includes(repository.slice(0, 8));
  const shown = isDemo ? line.replace(/\S*node\b.*/, "node …/demo-agent/main.js …") : line;
  return values.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), shown);
}
