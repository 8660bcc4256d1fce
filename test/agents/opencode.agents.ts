// SPDX-License-Identifier: MIT OR Apache-2.0
import { agentContract } from "./agent-contract.ts";

agentContract("opencode", {
  stopReasonOfRejection: "end_turn",
  statusOfRejection: "failed",
});
