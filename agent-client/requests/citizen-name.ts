// SPDX-License-Identifier: MIT OR Apache-2.0
import { randomLetters } from "../../bus-client/index.ts";

/**
 * Makes a random name on the Bus: `<prefix>-<6 letters>`, or in a session of agentd `mcp-s-<session>-<4 letters>`, by which
 * agentd recognizes the session's own agent. `marker` is AGENTD_SESSION, `<log>/<session>`.
 */
export function citizenName(prefix: string, marker: string | undefined, random: () => number): string {
  const session = /^[a-z2-7]{12}\/([a-z2-7]{12})$/.exec(marker ?? "")?.[1];
  return session === undefined
    ? `${prefix}-${randomLetters(6, random)}`
    : `mcp-s-${session}-${randomLetters(4, random)}`;
}
