// SPDX-License-Identifier: MIT OR Apache-2.0
import { clientContract } from "./client-contract.ts";
import { t3Driver } from "./editor-drivers.ts";

clientContract({
  name: "T3 Code",
  driver: t3Driver(),
  turnEnd: "end_turn",
  cancelledEnd: "cancelled",
  runsRealAgent: true,
  tellsQuestions: true,
  // It keeps the history itself, and drops what a load brings back.
  showsHistory: false,
  cannot: ["list"],
  failing: {},
});
