// SPDX-License-Identifier: MIT OR Apache-2.0
import type { SessionUpdate, ToolCallMembers } from "./update.ts";

/** Calls whose changes are held. */
const callsMax = 32;

/**
 * While history is read: changes of tool calls, so that those of one call are told together. Otherwise an output that
 * grew a thousand times would be told whole a thousand times.
 */
export class HeldChanges {
  readonly #held = new Map<string, ToolCallMembers>();

  /** Returns what is held if it has become too much. */
  add(members: ToolCallMembers): readonly SessionUpdate[] {
    this.#held.set(members.toolCallId, { ...this.#held.get(members.toolCallId), ...members });
    return this.#held.size > callsMax ? this.release() : [];
  }

  /** Returns the update with what is held of its call. */
  tell(members: ToolCallMembers): readonly SessionUpdate[] {
    const all = { ...this.#held.get(members.toolCallId), ...members };
    this.#held.delete(members.toolCallId);
    // Nothing in it was valid, or it had nothing.
    return Object.keys(all).length === 1 ? [] : [{ sessionUpdate: "tool_call_update", ...all }];
  }

  release(): readonly SessionUpdate[] {
    return [...this.#held.values()].flatMap((members) => this.tell(members));
  }
}
