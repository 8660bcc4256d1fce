// SPDX-License-Identifier: MIT OR Apache-2.0
// What a command finds around it: what its agent has, and what the agent sets for it.

export interface RequestedEnvironment {
  /** The agent's own, with the marker of its session. */
  readonly base: Readonly<Record<string, string>>;
  /** As the agent wrote it; of two with one name the last counts. */
  readonly requested: readonly { readonly name: string; readonly value: string }[];
  /** Of this terminal alone: all that bears it ends with the terminal. */
  readonly marker: { readonly name: string; readonly value: string };
}

export type TerminalEnvironment =
  | { readonly env: Readonly<Record<string, string>> }
  /** In words for the agent; without any value. */
  | { readonly refusal: string };

/** There is nobody at a terminal: git must fail at once where it would ask for a password, and nothing should be painted. */
const withoutTerminal = { GIT_TERMINAL_PROMPT: "0", TERM: "dumb" };

/**
 * The last of these wins: fixed values for a process without a terminal, the base, what is asked, the marker. Asked
 * variables of ours (AGENTD_*) are passed over without a word, since agents hand on their whole environment.
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
