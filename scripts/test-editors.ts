// SPDX-License-Identifier: MIT OR Apache-2.0
// Installs real clients of ACP, at their pinned versions, into .real-editors/, and runs their tests. Those that come from
// npm must be there; those that are sources are left out, with a word, where they cannot be had.
//
//   npm run test:editors [client ...] [-- options of vitest]
import { spawnSync } from "node:child_process";
import { install } from "../test/agents/installation.ts";
import { editorsInstallation } from "../test/editors/installation.ts";
import { clientsFromSources, type ClientFromSources, installFromSources } from "../test/editors/sources.ts";

const words = process.argv.slice(2);
const isNamed = (client: string): boolean =>
  words.every((word) => word.startsWith("-")) || words.some((word) => client.includes(word));

console.log(`clients in ${editorsInstallation.into}: ${await install(editorsInstallation)}`);
const fromSources = Object.keys(clientsFromSources) as ClientFromSources[];
for (const client of fromSources.filter(isNamed)) {
  const failure = await installFromSources(client);
  if (failure !== undefined) console.log(`${client} is left out: ${failure}`);
}
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/editors/vitest.config.ts", ...words];
process.exitCode = spawnSync(process.execPath, vitest, { stdio: "inherit" }).status ?? 1;
