// SPDX-License-Identifier: MIT OR Apache-2.0
import { agentContract } from "./agent-contract.ts";

// It says nothing more of a call that was rejected.
const closed = { status: "failed", by: "agentd" } as const;

agentContract("gemini", {
  rejection: { stopReason: "end_turn", modelGoesOn: true, call: closed, command: closed },
  asksForMcpCalls: true,
  steered: false,
  subAgents: "never asks",
  login: {
    missing: "turn fails",
    methods: ["oauth-personal", "gemini-api-key", "vertex-ai", "gateway", "terminal"],
    remedy: { variable: "GEMINI_API_KEY", method: "gemini-api-key" },
  },
  resumed: "load or fresh",
  showsForms: false,
  failingModels: [
    { status: 401, endsBy: "itself", end: { stop_reason: "failed", error: { error_code: "AGENT_AUTH" } } },
    { status: 429, endsBy: "cancel", end: { stop_reason: "cancelled" } },
    { status: 500, endsBy: "cancel", end: { stop_reason: "cancelled" } },
  ],
  longPrompt: { stop_reason: "end_turn" },
  // It tells the model of its mode in an instruction outside of the conversation.
  modes: { start: "default", other: "plan", told: null },
  option: { name: "model", start: "auto", other: "gemini-2.5-pro", asked: { model: "gemini-2.5-pro" } },
  options: ["mode", "model"],
  // A load in the clock minute of the session's start destroys it. On a busy machine it does not end within the 3 s that
  // agentd gives it after SIGTERM.
  probeFaults: ["load", "load_again", "stop"],
  failing: {},
});
