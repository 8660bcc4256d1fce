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
  return [...candidates(text, added)].find(isWanted);
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

/** Texts of which at most one is right: the table at the end, or the command of the table that is there. */
function* candidates(text: string, added: AddedAgent): Generator<string> {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const keys = [
    `command = ${tomlArray(added.command)}`,
    ...(added.env === undefined ? [] : [`env = ${tomlTable(added.env)}`]),
  ];
  const between = text === "" || text.endsWith("\n") ? "" : newline;
  const blank = text === "" ? "" : newline;
  yield `${text}${between}${blank}${[`[agents.${added.name}]`, ...keys].join(newline)}${newline}`;
  const lines = text.split(newline);
  const header = lines.findIndex((line) => headerOf(added.name).test(line));
  if (header < 0) return;
  const end = lines.findIndex((line, index) => index > header && /^\s*\[/u.test(line));
  const body = { from: header + 1, to: end < 0 ? lines.length : end };
  const [commandKey = "", envKey] = keys;
  const replaced = replacements(lines, body, "command", commandKey);
  for (const once of replaced) {
    if (envKey === undefined) yield once.join(newline);
    else for (const twice of replacements(once, body, "env", envKey)) yield twice.join(newline);
  }
}

function headerOf(name: string): RegExp {
  return new RegExp(`^\\s*\\[\\s*agents\\s*\\.\\s*(["']?)${name}\\1\\s*\\]\\s*(#.*)?$`, "u");
}

/** The lines with the key's value replaced, however many lines it has; its comment stays. Also with the key added. */
function* replacements(
  lines: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
  key: string,
  written: string,
): Generator<readonly string[]> {
  const at = lines.findIndex((line, index) => index >= from && index < to && line.trimStart().startsWith(key));
  if (at < 0) {
    yield lines.toSpliced(from, 0, written);
    return;
  }
  for (let last = at; last < to; last += 1) {
    const comment = /\s+#[^"'\]}]*$/u.exec(lines[last] ?? "")?.[0] ?? "";
    yield lines.toSpliced(at, last - at + 1, `${written}${comment}`);
  }
}

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
