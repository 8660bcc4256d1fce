// SPDX-License-Identifier: MIT OR Apache-2.0
import type { CatalogueReply } from "../../agentd/vocabulary/replies.ts";

/** The agent of an editor that names none: the first that is installed and logged in, or else installed; or the demo. */
export function defaultAgent({ agents }: CatalogueReply): string | undefined {
  const installed = agents.filter((one) => one.installed && one.agent !== "demo");
  return (installed.find((one) => one.login_stored === true) ?? installed[0] ?? agents[0])?.agent;
}
