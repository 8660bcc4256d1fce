// SPDX-License-Identifier: MIT OR Apache-2.0
import { clientContract } from "./client-contract.ts";
import { nodeDriver } from "./node-driver.ts";

clientContract({
  name: "acp-factory",
  driver: nodeDriver("acp-factory"),
  turnEnd: "ended",
  cancelledEnd: "ended",
  runsRealAgent: false,
  tellsQuestions: true,
  showsHistory: false,
  cannot: ["list", "option"],
  failing: {},
});
