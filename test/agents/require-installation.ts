// SPDX-License-Identifier: MIT OR Apache-2.0
import { isInstalled, repositoryInstallation } from "./installation.ts";

/** Agents that are not there are a failure, never a green run without tests. */
export async function setup(): Promise<void> {
  if (await isInstalled(repositoryInstallation)) return;
  throw new Error("the pinned agents are not installed: node --import tsx scripts/install-agents.ts");
}
