// SPDX-License-Identifier: MIT OR Apache-2.0
// How the tests run: which files, how long, and what is built before.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "{agentd,agent-client,bus-client,acp-client,acp-face,display,files,json,mix,mixos-mcp,notifyd,test}/**/*.test.ts",
    ],
    // Process tests start real children, also on a small machine: a generous limit, and no test relies on it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    sequence: { shuffle: true },
    tags: [
      {
        name: "slow",
        description: "takes seconds: kills, floods and races many times over. `npm test` leaves these out.",
      },
    ],
    globalSetup: ["test/global-setup.ts"],
  },
});
