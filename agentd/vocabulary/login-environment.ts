// SPDX-License-Identifier: MIT OR Apache-2.0
// What `agentd --login-environment` prints: one line of JSON, for `mix` alone. It has secret values, so it never travels
// over the Bus, and nobody prints it.

export type LoginEnvironment =
  /** The environment of the agent's own login program, without the variables that describe its terminal. */
  | { readonly environment: Readonly<Record<string, string>> }
  /** For people. */
  | { readonly problem: string };
