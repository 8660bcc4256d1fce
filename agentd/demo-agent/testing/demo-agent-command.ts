// SPDX-License-Identifier: MIT OR Apache-2.0
import { fileURLToPath } from "node:url";

export type AgentCommand = readonly [program: string, ...args: string[]];

/** The demo agent as agentd starts it: the built program. */
export const demoAgentCommand: AgentCommand = [
  process.execPath,
  fileURLToPath(new URL("../../../dist/agentd/demo-agent/main.js", import.meta.url)),
];
