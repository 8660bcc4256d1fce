// SPDX-License-Identifier: MIT OR Apache-2.0

export interface PeerLimits {
  /** Consecutive lines without a message after which the connection is given up. */
  readonly noiseLinesMax: number;
  /** The same limit in UTF-16 units. */
  readonly noiseCharactersMax: number;
  /** Requests of the peer that may be open at once; further ones are refused. */
  readonly openRequestsMax: number;
  /** Total length of their lines, in UTF-16 units. A single open request may be as long as a line may be. */
  readonly openRequestCharactersMax: number;
  /** Nesting depth of arrays and objects in a message; a deeper message is refused. */
  readonly depthMax: number;
  /** JSON values in a message, nested ones included; a message with more is refused without being parsed. */
  readonly valuesMax: number;
  /** Length of a sample in a fault, in UTF-16 units. */
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
