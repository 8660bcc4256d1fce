// SPDX-License-Identifier: MIT OR Apache-2.0
import { type PeerLimits, peerLimits } from "./jsonrpc/peer-limits.ts";
import type { StopLimits } from "./process/stop-ladder.ts";

export interface ClientLimits extends PeerLimits {
  /** Agents were seen to need 20 s for this on a busy machine. */
  readonly initializeTimeoutMs: number;
  readonly openTimeoutMs: number;
  /** Every other request but session/prompt, which has no limit of its own: a turn lasts as long as it lasts. */
  readonly requestTimeoutMs: number;
  /** session/close before the agent is ended. */
  readonly closeTimeoutMs: number;
  /** One line of the agent; a longer one ends it. */
  readonly lineBytesMax: number;
  /** What may wait for the agent to read it; more means that it does not read, and ends it. */
  readonly writableBytesMax: number;
  /** Messages held back until session/new is answered; more are dropped and reported. */
  readonly heldMessagesMax: number;
  readonly heldCharactersMax: number;
  /** Of one permission request: its options and its tool call's id as JSON, in UTF-16 units. */
  readonly permissionOptionsCharactersMax: number;
  /** Of one elicitation, its form in it, in UTF-16 units. */
  readonly elicitationCharactersMax: number;
  /** Pages of session/list that are followed. */
  readonly listPagesMax: number;
  /** Of an agent's error: its message, and its data as JSON, in UTF-16 units. */
  readonly errorMessageCharactersMax: number;
  readonly errorDataCharactersMax: number;
  /** The stop ladder's own; its defaults where absent. */
  readonly stop: Partial<StopLimits>;
}

export const clientLimits: ClientLimits = {
  ...peerLimits,
  initializeTimeoutMs: 60_000,
  openTimeoutMs: 60_000,
  requestTimeoutMs: 50_000,
  closeTimeoutMs: 2_000,
  lineBytesMax: 64 * 1024 * 1024,
  writableBytesMax: 64 * 1024 * 1024,
  heldMessagesMax: 4_096,
  heldCharactersMax: 16 * 1024 * 1024,
  permissionOptionsCharactersMax: 64 * 1024,
  elicitationCharactersMax: 256 * 1024,
  listPagesMax: 1_000,
  errorMessageCharactersMax: 4_096,
  errorDataCharactersMax: 16_384,
  stop: {},
};
