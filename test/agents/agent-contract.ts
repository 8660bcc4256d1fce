// SPDX-License-Identifier: MIT OR Apache-2.0
// What agentd makes of every agent, run over the Bus against the real ones: one test for each row of the table.
import { cancelRows } from "./cancel-rows.ts";
import { clientRow } from "./client-row.ts";
import { type AgentHabits, prepareSetting } from "./contract-setting.ts";
import { endRows } from "./end-rows.ts";
import { loginRow } from "./login-row.ts";
import { optionRows } from "./option-rows.ts";
import { probeRow } from "./probe-row.ts";
import { questionRows } from "./question-rows.ts";
import type { RealAgentName } from "./real-agents.ts";
import { returnRows } from "./return-rows.ts";
import { rowsOf } from "./rows.ts";
import { serverRows } from "./server-rows.ts";
import { steeringRow } from "./steering-row.ts";
import { subAgentRow } from "./sub-agent-row.ts";
import { turnRows } from "./turn-rows.ts";

export function agentContract(name: RealAgentName, habits: AgentHabits): void {
  const setting = prepareSetting(name);
  const row = rowsOf(name, habits.failing);
  turnRows(row, habits, setting);
  questionRows(row, habits, setting);
  serverRows(row, habits, setting);
  cancelRows(row, setting);
  optionRows(row, habits, setting);
  returnRows(row, habits, setting);
  endRows(row, setting);
  steeringRow(row, habits, setting);
  subAgentRow(row, habits, setting);
  loginRow(row, name, habits);
  clientRow(row, name, setting);
  probeRow(row, name, habits, setting);
}
