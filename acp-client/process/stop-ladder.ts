// SPDX-License-Identifier: MIT OR Apache-2.0
export interface StopLimits {
  /** From closing stdin to TERM. */
  readonly stdinGraceMs: number;
  /** From TERM to KILL of the whole tree. */
  readonly termGraceMs: number;
}
