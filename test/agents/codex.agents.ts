// SPDX-License-Identifier: MIT OR Apache-2.0
import { agentContract } from "./agent-contract.ts";

agentContract("codex", {
  rejection: {
    stopReason: "cancelled",
    modelGoesOn: false,
    // It says nothing more of the call.
    call: { status: "failed", by: "agentd" },
    command: { status: "failed", by: "agent" },
  },
  asksForMcpCalls: true,
  steered: true,
  subAgents: "asks as the agent",
  login: {
    missing: "start fails",
    methods: ["api-key", "chat-gpt-device-code", "terminal"],
    remedy: { variable: "OPENAI_API_KEY", method: "api-key" },
  },
  resumed: "resume",
  showsForms: true,
  failingModels: [
    { status: 401, endsBy: "itself", end: { stop_reason: "failed", error: { error_code: "AGENT_AUTH" } } },
    { status: 429, endsBy: "itself", end: { stop_reason: "failed" } },
    { status: 500, endsBy: "itself", end: { stop_reason: "failed" } },
  ],
  longPrompt: { stop_reason: "failed" },
  modes: { start: "read-only", other: "agent-full-access", told: /file_system type="unrestricted"/ },
  // With another model it compacts the conversation first.
  option: { name: "reasoning_effort", start: "medium", other: "high", asked: { effort: "high" } },
  options: ["mode", "collaboration_mode", "model", "reasoning_effort", "fast-mode"],
  probeFaults: [],
  failing: {},
});
