// SPDX-License-Identifier: MIT OR Apache-2.0
// The cases in cases.ndjson: the first line has named values and presets, each other line one case.
import { readFileSync } from "node:fs";
import type { EntryContent } from "../../agentd/vocabulary/entries.ts";

type Members = Readonly<Record<string, unknown>>;

/** Steps run from first to last. A value `$name` stands for the named value of the first line. */
export type Step =
  /** Writes a line; without its newline with `no_newline`. */
  | { readonly c2a: string; readonly no_newline?: true }
  /** Writes bytes as they are, in hexadecimal: one write for each text. */
  | { readonly c2a_hex: readonly string[] }
  /** Writes several lines at once. */
  | { readonly c2a_joined: readonly string[] }
  /** Writes a prompt of the text "see" and an image of so many MiB of base64. */
  | { readonly c2a_image_mib: number; readonly id: number }
  /** The next line of the face, compared as JSON; of an error id, code and the members of `data`. */
  | { readonly a2c: string; readonly cmp?: "subset" }
  /** The next command that agentd is asked. `args` are some of its arguments. Without `refused` it is accepted. */
  | {
      readonly asked: string;
      readonly args?: Members;
      /** Overrides members of the reply. */
      readonly reply?: unknown;
      readonly refused?: { readonly error_code: string; readonly message: string; readonly [member: string]: unknown };
      /** Answers only when a step `answer` names it. */
      readonly hold?: string;
    }
  | { readonly answer: string }
  /** Logs and publishes entries of a session; without `published` for followers only, as after a dropped delivery. */
  | { readonly entries: readonly EntryContent[]; readonly session?: string; readonly published?: false }
  /** Logs and publishes so many entries with `#` in their texts as the number. */
  | { readonly many: number; readonly entry: EntryContent; readonly session?: string; readonly published?: false }
  /** A session that agentd has before the face starts. */
  | { readonly has_session: string; readonly agent?: string; readonly cwd?: string }
  /** Publishes entries of the log again. */
  | { readonly published_again: readonly number[]; readonly session?: string }
  /** When everything is still, the face has written nothing and asked nothing of agentd that was not expected. */
  | { readonly quiet: true }
  | { readonly nothing_asked: true }
  | { readonly advance_ms: number }
  | { readonly bus: "down" | "up" }
  /** A diagnostic has this text. */
  | { readonly diagnosed: string }
  | { readonly eof: true }
  | { readonly input_error: string }
  | { readonly close_stdout: true }
  /** Whether the editor reads what the face writes. */
  | { readonly reads: boolean }
  | { readonly unread_bytes_max: number }
  /** The connection ends; with the message if the input could not be read, or "". */
  | { readonly ended: string }
  /** The face is started anew. */
  | { readonly restart: true }
  /** The number of lines of the face that are taken next; in `order` their texts have the numbers from 1 on. */
  | { readonly a2c_many: number };

export interface Case {
  readonly id: string;
  readonly title: string;
  readonly given: "start" | "initd" | "ready";
  readonly bus?: "down";
  readonly keep_running?: true;
  /** It needs a process: it is in program.test.ts. */
  readonly program?: true;
  /** Why the case is not as it was written first. */
  readonly differs?: string;
  readonly note?: string;
  readonly steps: readonly Step[];
}

interface FirstLine {
  readonly values: Members;
  readonly presets: Readonly<Record<Case["given"], readonly Step[]>>;
}

const [first = "{}", ...lines] = readFileSync(new URL("cases.ndjson", import.meta.url), "utf8")
  .trim()
  .split("\n");
const { values, presets } = JSON.parse(first) as FirstLine;

export const cases = lines.map((line) => JSON.parse(line) as Case);

/** The steps of the case and before them those of its preset, with named values put in. */
export function allSteps({ given, steps }: Case): readonly Step[] {
  return [...presets[given], ...steps].map((step) => filledIn(step) as Step);
}

function filledIn(value: unknown): unknown {
  if (typeof value === "string" && value.startsWith("$") && value.slice(1) in values) return values[value.slice(1)];
  if (Array.isArray(value)) return value.map(filledIn);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filledIn(member)]));
}
