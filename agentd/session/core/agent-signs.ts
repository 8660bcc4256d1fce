// SPDX-License-Identifier: MIT OR Apache-2.0
// What an update of an agent tells beyond ACP. Each agent has its own ways, which its quirks in the catalogue read.

export interface AgentSigns {
  /** True: the turn has failed, whatever stop reason follows. False: it has not, after all. */
  readonly hasFailed?: boolean;
  /** A text that is the error if the turn has failed. */
  readonly errorText?: string;
  /** A request to the model failed with this error, and the agent tries again. */
  readonly retriedError?: string;
  /** The id of the tool call that started the sub-agent which the update is about. */
  readonly parentToolCall?: string;
  /** A tool call that may wait for ever without a word, and why, for people. Any other may take its time. */
  readonly mayHang?: { readonly toolCallId: string; readonly why: string };
}

/** The member of an entry that names the parent tool call. */
export function parentMember(signs: AgentSigns | undefined): { readonly parent_tool_call_id?: string } {
  return signs?.parentToolCall === undefined ? {} : { parent_tool_call_id: signs.parentToolCall };
}
