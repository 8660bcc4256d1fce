// SPDX-License-Identifier: MIT OR Apache-2.0
import { clientContract } from "./client-contract.ts";
import { neovimDriver } from "./editor-drivers.ts";

clientContract({
  name: "CodeCompanion",
  driver: neovimDriver("codecompanion"),
  turnEnd: "done",
  cancelledEnd: "done",
  runsRealAgent: true,
  tellsQuestions: false,
  showsHistory: true,
  cannot: [],
  failing: {},
});
