// SPDX-License-Identifier: MIT OR Apache-2.0
import type { CheckReport } from "../../agentd/vocabulary/check.ts";
import { type AgentdPrograms, runAgentd } from "./run-agentd.ts";

const checkWithinMs = 10_000;

/** Asks agentd's program what a start of it would find. Starts no daemon. */
export function runCheck(programs: AgentdPrograms): Promise<CheckReport | { readonly failed: string }> {
  return runAgentd<CheckReport>(programs, ["--check"], checkWithinMs);
}
