// SPDX-License-Identifier: MIT OR Apache-2.0
// Installs the coding agents that `npm run test:agents` drives, at their pinned versions, into .real-agents/.
//
//   node --import tsx scripts/install-agents.ts
import { install, repositoryInstallation } from "../test/agents/installation.ts";

console.log(`agents in ${repositoryInstallation.into}: ${await install(repositoryInstallation)}`);
