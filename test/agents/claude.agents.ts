// SPDX-License-Identifier: MIT OR Apache-2.0
import { agentContract } from "./agent-contract.ts";

const failedByAgent = { status: "failed", by: "agent" } as const;

agentContract("claude", {
  rejection: { stopReason: "end_turn", modelGoesOn: true, call: failedByAgent, command: failedByAgent },
  asksForMcpCalls: true,
  steered: true,
  subAgents: "asks below its parent",
  login: {
    missing: "turn fails",
    methods: ["claude-ai-login", "console-login"],
    remedy: { variable: "ANTHROPIC_API_KEY" },
    unreachable: { method: "claude-ai-login", runs: " auth login --claudeai", says: "Paste code here" },
  },
  resumed: "resume",
  showsForms: true,
  failingModels: [
    { status: 401, endsBy: "itself", end: { stop_reason: "failed", error: { error_code: "AGENT_AUTH" } } },
    { status: 429, endsBy: "itself", end: { stop_reason: "failed" } },
    { status: 500, endsBy: "itself", end: { stop_reason: "failed" } },
  ],
  longPrompt: { stop_reason: "end_turn" },
  modes: { start: "default", other: "plan", told: /plan mode/i },
  option: { name: "effort", start: "high", other: "low", asked: { effort: "low" } },
  options: ["mode", "model", "effort", "fast", "ultracode"],
  probeFaults: [],
  failing: {},
});
