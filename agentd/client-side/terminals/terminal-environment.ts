// SPDX-License-Identifier: MIT OR Apache-2.0
// The environment of a terminal's command: the agent's own, and the variables that the agent sets for it.

export interface RequestedEnvironment {
  readonly base: Readonly<Record<string, string>>;
  /** As the agent wrote it; the last of several with one name counts. */
  readonly requested: readonly { readonly name: string; readonly value: string }[];
  readonly marker: { readonly name: string; readonly value: string };
}

export type TerminalEnvironment =
  | { readonly env: Readonly<Record<string, string>> }
  /** A message for the agent, without any value. */
  | { readonly refusal: string };

/** Nobody can answer: git must fail at once instead of asking for a password, and no program should use colours. */
const withoutTerminal = { GIT_TERMINAL_PROMPT: "0", TERM: "dumb" };

/**
 * In order of precedence, lowest first: fixed values for a process without a terminal, the base, the requested variables,
 * the marker. Ignores requested AGENTD_* variables silently, since agents pass on their whole environment.
 */
export function terminalEnvironment({ base, requested, marker }: RequestedEnvironment): TerminalEnvironment {
  const bad = requested.find(({ name, value }) => name === "" || /[=\0]/.test(name) || value.includes("\0"));
  if (bad !== undefined) return { refusal: refusalOf(bad.name) };
  const env = Object.create(null) as Record<string, string>;
  Object.assign(env, withoutTerminal, base);
  for (const { name, value } of requested) if (!name.startsWith("AGENTD_")) env[name] = value;
  env[marker.name] = marker.value;
  return { env };
}

function refusalOf(name: string): string {
  if (name === "") return "a variable in env has no name";
  if (/[=\0]/.test(name)) return `a variable's name in env may hold neither "=" nor NUL: ${JSON.stringify(name)}`;
  return `the value of ${name} in env holds NUL`;
}
