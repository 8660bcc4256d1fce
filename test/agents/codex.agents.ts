// SPDX-License-Identifier: MIT OR Apache-2.0
import { agentContract } from "./agent-contract.ts";

agentContract("codex", {
  stopReasonOfRejection: "cancelled",
  // It says nothing more of the call.
  rejected: { status: "failed", by: "agentd" },
  asksForBusCalls: true,
  failingModels: [
    // In words of its own, as if the model had said them.
    { status: 500, endsBy: "itself", end: { stop_reason: "end_turn" } },
    { status: 401, endsBy: "itself", end: { stop_reason: "failed", error: { error_code: "AGENT_AUTH" } } },
  ],
  modes: { start: "read-only", other: "agent-full-access", told: /file_system type="unrestricted"/ },
  // With another model it compacts the conversation first.
  option: { name: "reasoning_effort", start: "medium", other: "high", asked: { effort: "high" } },
});
