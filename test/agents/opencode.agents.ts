// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect } from "vitest";
import { agentContract } from "./agent-contract.ts";
import { modelKey } from "./real-agents.ts";

// What it says of the cancelled turn depends on whether it was asking the model just then.
const cancelled = { stop_reason: expect.stringMatching(/^(cancelled|end_turn)$/) };
const failedByAgent = { status: "failed", by: "agent" } as const;

agentContract("opencode", {
  rejection: { stopReason: "end_turn", modelGoesOn: false, call: failedByAgent, command: failedByAgent },
  asksForMcpCalls: false,
  steered: false,
  subAgents: "waits for ever",
  login: {
    missing: "asks the model again and again",
    methods: ["opencode-login"],
    remedy: {
      terminal: "opencode-login",
      types: [
        ["Select provider", "other"],
        ["Enter provider id", "scripted"],
        ["Enter your API key", modelKey],
      ],
    },
  },
  resumed: "resume",
  showsForms: false,
  failingModels: [
    { status: 401, endsBy: "cancel", end: cancelled },
    { status: 429, endsBy: "cancel", end: cancelled },
    { status: 500, endsBy: "cancel", end: cancelled },
  ],
  longPrompt: { stop_reason: "end_turn" },
  modes: { start: "build", other: "plan", told: /Plan mode ACTIVE/ },
  option: { name: "model", start: "scripted/scripted", other: "scripted/other", asked: { model: "other" } },
  options: ["mode", "model"],
  probeFaults: [],
  failing: {},
});
