// SPDX-License-Identifier: MIT OR Apache-2.0
// Adds an agent to the text of the configuration file. Every other character stays as it is.
import { isDeepStrictEqual } from "node:util";
import { parse } from "smol-toml";
import { attempt } from "../../files/attempt.ts";

export interface AddedAgent {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Returns the new text, which means what the old one does and has the agent besides. An agent of that name keeps its other
 * keys and comments, and gets the new command (and variables, if there are any). Undefined if that cannot be done without
 * writing more of the file anew: it is not TOML, or it writes its agents in an unusual form.
 */
export function textWithAgent(text: string, added: AddedAgent): string | undefined {
  const document = attempt(() => parse(text));
  if (document === undefined) return undefined;
  const wanted = documentWith(document, added);
  const isWanted = (candidate: string): boolean =>
    isDeepStrictEqual(plain(attempt(() => parse(candidate))), plain(wanted));
  return candidates(text, added).find(isWanted);
}

type Table = Readonly<Record<string, unknown>>;

function documentWith(document: Table, { name, command, env }: AddedAgent): Table {
  const agents = (document["agents"] ?? {}) as Table;
  const before = (Object.hasOwn(agents, name) ? agents[name] : {}) as Table;
  return { ...document, agents: { ...agents, [name]: { ...before, command, ...(env === undefined ? {} : { env }) } } };
}

/** Without prototypes, which the parser's tables do not have. */
function plain(document: unknown): unknown {
  return document === undefined ? undefined : JSON.parse(JSON.stringify(document));
}

/** Texts of which at most one is right: the table at the end, or the keys of the table that is there. */
function candidates(text: string, { name, command, env }: AddedAgent): readonly string[] {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const keys = { command: tomlArray(command), ...(env === undefined ? {} : { env: tomlTable(env) }) };
  const written = Object.entries(keys).map(([key, value]) => `${key} = ${value}`);
  const between = text === "" || text.endsWith("\n") ? "" : newline;
  const blank = text === "" ? "" : newline;
  const atEnd = `${text}${between}${blank}${[`[agents.${name}]`, ...written].join(newline)}${newline}`;
  let lines: readonly string[] = text.split(newline);
  const header = lines.findIndex((line) => headerOf(name).test(line));
  if (header < 0) return [atEnd];
  for (const [key, value] of Object.entries(keys)) lines = withKey(lines, header, key, value);
  return [atEnd, lines.join(newline)];
}

function headerOf(name: string): RegExp {
  return new RegExp(`^\\s*\\[\\s*agents\\s*\\.\\s*(["']?)${name}\\1\\s*\\]\\s*(#.*)?$`, "u");
}

/** The lines with the value of the table's key replaced, however many lines it has, or with the key added. */
function withKey(lines: readonly string[], header: number, key: string, value: string): readonly string[] {
  const next = lines.findIndex((line, index) => index > header && /^\s*\[/u.test(line));
  const end = next < 0 ? lines.length : next;
  const isKey = new RegExp(`^\\s*(["']?)${key}\\1\\s*=`, "u");
  const at = lines.findIndex((line, index) => index > header && index < end && isKey.test(line));
  if (at < 0) return lines.toSpliced(header + 1, 0, `${key} = ${value}`);
  // The value ends where what was read of it is TOML.
  const limit = Math.min(end, at + valueLinesMax);
  let last = at;
  while (last < limit && attempt(() => parse(lines.slice(at, last + 1).join("\n"))) === undefined) last += 1;
  const comment = /\s+#[^"'\]}]*$/u.exec(lines[last] ?? "")?.[0] ?? "";
  return lines.toSpliced(at, last - at + 1, `${key} = ${value}${comment}`);
}

const valueLinesMax = 200;

function tomlArray(texts: readonly string[]): string {
  return `[${texts.map(tomlString).join(", ")}]`;
}

function tomlTable(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map(([name, value]) => `${tomlString(name)} = ${tomlString(value)}`);
  return `{ ${pairs.join(", ")} }`;
}

/** JSON's escapes are TOML's, which also forbids DEL. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
