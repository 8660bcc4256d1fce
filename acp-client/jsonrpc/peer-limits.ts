// SPDX-License-Identifier: MIT OR Apache-2.0
import type { NoiseLimits } from "./noise-count.ts";

export interface PeerLimits extends NoiseLimits {
  /** Requests of the other side that may be open at once; one more is refused. */
  readonly openRequestsMax: number;
  /** Length of their lines together, UTF-16 units. One alone may be as long as a line may be. */
  readonly openRequestCharactersMax: number;
  /** Arrays and objects of a message within one another; a deeper one is refused. */
  readonly depthMax: number;
  /** Values of a message, itself and those within one another; one with more is refused without being parsed. */
  readonly valuesMax: number;
  /** Length of a sample in a fault, UTF-16 units. */
  readonly sampleCharactersMax: number;
}

export const peerLimits: PeerLimits = {
  noiseLinesMax: 10_000,
  noiseCharactersMax: 16 * 1024 * 1024,
  openRequestsMax: 1024,
  openRequestCharactersMax: 64 * 1024 * 1024,
  depthMax: 512,
  valuesMax: 1_000_000,
  sampleCharactersMax: 200,
};
