// SPDX-License-Identifier: MIT OR Apache-2.0

/** `agentd` starts the daemon if none runs, `running-agentd` never does, and `bus` needs no agentd. */
export type ConnectTarget = "agentd" | "running-agentd" | "bus";

export interface ConnectOptions {
  readonly target: ConnectTarget;
  readonly autostart: boolean;
}
