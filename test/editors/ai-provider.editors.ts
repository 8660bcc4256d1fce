// SPDX-License-Identifier: MIT OR Apache-2.0
import { clientContract } from "./client-contract.ts";
import { nodeDriver } from "./node-driver.ts";

clientContract({
  name: "AI SDK",
  driver: nodeDriver("ai-provider"),
  turnEnd: "stop",
  cancelledEnd: "aborted",
  runsRealAgent: false,
  tellsQuestions: false,
  showsHistory: false,
  // It allows everything. An abort ends the stream of its user and is not told to the agent.
  cannot: ["rejected", "cancel", "again", "list", "option"],
  failing: {},
});
