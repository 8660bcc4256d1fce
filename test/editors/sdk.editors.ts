// SPDX-License-Identifier: MIT OR Apache-2.0
import { clientContract } from "./client-contract.ts";
import { nodeDriver } from "./node-driver.ts";

clientContract({
  name: "SDK",
  driver: nodeDriver("sdk"),
  turnEnd: "end_turn",
  cancelledEnd: "cancelled",
  runsRealAgent: true,
  tellsQuestions: true,
  showsHistory: true,
  cannot: [],
  failing: {},
});
