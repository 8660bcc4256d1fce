// SPDX-License-Identifier: MIT OR Apache-2.0
// What an update of an agent tells beyond ACP. Each agent has its own ways, which its quirks in the catalogue read.

export interface AgentSigns {
  /** True: the turn has failed, whatever stop reason follows. False: it has not, after all. */
  readonly hasFailed?: boolean;
  /** A text that is the error if the turn has failed. */
  readonly errorText?: string;
  /** A request to the model failed with this error, and the agent tries again. */
  readonly retriedError?: string;
}
