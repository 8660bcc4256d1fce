// SPDX-License-Identifier: MIT OR Apache-2.0
import { agentContract } from "./agent-contract.ts";

agentContract("codex", {
  stopReasonOfRejection: "cancelled",
  statusOfRejection: "in_progress",
});
