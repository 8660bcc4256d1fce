// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect } from "vitest";
import { agentContract } from "./agent-contract.ts";

agentContract("opencode", {
  stopReasonOfRejection: "end_turn",
  rejected: { status: "failed", by: "agent" },
  asksForBusCalls: false,
  failingModels: [
    // What it says of the cancelled turn depends on whether it was asking the model just then.
    { status: 500, endsBy: "cancel", end: { stop_reason: expect.stringMatching(/^(cancelled|end_turn)$/) } },
  ],
  modes: { start: "build", other: "plan", told: /Plan mode ACTIVE/ },
  option: { name: "model", start: "scripted/scripted", other: "scripted/other", asked: { model: "other" } },
});
