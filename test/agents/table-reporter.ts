// SPDX-License-Identifier: MIT OR Apache-2.0
// The table of agents, also in .real-agents/table.md.
import { join } from "node:path";
import { ResultTable } from "../harness/result-table.ts";
import { repositoryInstallation } from "./installation.ts";
import { rowTitles } from "./rows.ts";

export const agentTable = new ResultTable(rowTitles, join(repositoryInstallation.into, "table.md"));
