// SPDX-License-Identifier: MIT OR Apache-2.0
import { clientContract } from "./client-contract.ts";
import { nodeDriver } from "./node-driver.ts";

clientContract({
  name: "acpx",
  driver: nodeDriver("acpx"),
  turnEnd: "end_turn",
  cancelledEnd: "cancelled",
  runsRealAgent: true,
  tellsQuestions: true,
  // It prefers session/resume.
  showsHistory: false,
  cannot: [],
  failing: {},
});
