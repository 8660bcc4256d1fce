// SPDX-License-Identifier: MIT OR Apache-2.0
import { clientContract } from "./client-contract.ts";
import { emacsDriver } from "./editor-drivers.ts";

clientContract({
  name: "agent-shell",
  driver: emacsDriver("agent-shell"),
  turnEnd: "done",
  cancelledEnd: "done",
  runsRealAgent: true,
  tellsQuestions: true,
  showsHistory: true,
  cannot: [],
  failing: {},
});
