// SPDX-License-Identifier: MIT OR Apache-2.0
import { type PeerLimits, peerLimits } from "./jsonrpc/peer-limits.ts";
import type { StopLimits } from "./process/stop-ladder.ts";

export interface ClientLimits extends PeerLimits {
  /** Some agents need 20 s for initialize on a busy machine. */
  readonly initializeTimeoutMs: number;
  readonly openTimeoutMs: number;
  /** Applies to all other requests except session/prompt, which has no time limit. */
  readonly requestTimeoutMs: number;
  readonly closeTimeoutMs: number;
  /** After session/load: time without history that ends the replay, and the longest wait of a prompt for that. */
  readonly replayQuietMs: number;
  readonly replayWaitMsMax: number;
  /** Length of one line from the agent. A longer one ends the agent. */
  readonly lineBytesMax: number;
  /** Bytes that may wait for the agent to read them. An agent that lets more pile up does not read, and is ended. */
  readonly writableBytesMax: number;
  /** Messages held back until session/new is answered. Further ones are dropped and reported. */
  readonly heldMessagesMax: number;
  readonly heldCharactersMax: number;
  /** Length of a permission request's options, tool call id and kind as JSON, in UTF-16 units. */
  readonly permissionOptionsCharactersMax: number;
  /** Length of one elicitation request including its form, in UTF-16 units. */
  readonly elicitationCharactersMax: number;
  readonly listPagesMax: number;
  /** Length of an agent's error message, and of its data as JSON, in UTF-16 units. */
  readonly errorMessageCharactersMax: number;
  readonly errorDataCharactersMax: number;
  /** Overrides the stop ladder's defaults. */
  readonly stop: Partial<StopLimits>;
}

export const clientLimits: ClientLimits = {
  ...peerLimits,
  initializeTimeoutMs: 60_000,
  openTimeoutMs: 60_000,
  requestTimeoutMs: 50_000,
  closeTimeoutMs: 2_000,
  replayQuietMs: 300,
  replayWaitMsMax: 10_000,
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
