// SPDX-License-Identifier: MIT OR Apache-2.0
// The name that this server bears on the Bus.
import { randomLetters } from "../bus-client/index.ts";

/**
 * In a session of agentd's, one by which agentd knows that session's own agent (`mcp-s-<session>-<4>`); else `mcp-<6>`.
 * `marker`: AGENTD_SESSION, `<log>/<session>`. `random`: from 0 up to 1.
 */
export function citizenName(marker: string | undefined, random: () => number): string {
  const session = /^[a-z2-7]{12}\/([a-z2-7]{12})$/.exec(marker ?? "")?.[1];
  return session === undefined ? `mcp-${randomLetters(6, random)}` : `mcp-s-${session}-${randomLetters(4, random)}`;
}
