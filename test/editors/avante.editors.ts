// SPDX-License-Identifier: MIT OR Apache-2.0
import { clientContract } from "./client-contract.ts";
import { neovimDriver } from "./editor-drivers.ts";

clientContract({
  name: "avante",
  driver: neovimDriver("avante"),
  turnEnd: "succeeded",
  cancelledEnd: "cancelled",
  runsRealAgent: true,
  tellsQuestions: false,
  showsHistory: true,
  // It has no list: it keeps ids of sessions itself.
  cannot: ["list"],
  failing: {},
});
