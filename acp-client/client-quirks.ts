// SPDX-License-Identifier: MIT OR Apache-2.0
// Where one agent deviates from ACP so that the client must act differently. Absent members mean that it does not.

export interface ClientQuirks {
  /** It tells changes of its mode as messages of its own: this text and the mode's id. Empty: it does not. */
  readonly modeMessagePrefix?: string;
  /** Time from closing its stdin to SIGTERM; 0 for an agent that never ends by itself. */
  readonly stopGraceMs?: number;
}
