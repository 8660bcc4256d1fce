// SPDX-License-Identifier: MIT OR Apache-2.0
import type { EntryKind } from "../../agentd/vocabulary/entries.ts";

// The vocabulary's list is a value, and its types alone may be imported; the compiler holds this one to it.
const kinds: Readonly<Record<EntryKind, true>> = {
  command: true,
  reply: true,
  state: true,
  turn: true,
  message: true,
  tool_call: true,
  plan: true,
  commands: true,
  options: true,
  info: true,
  usage: true,
  notice: true,
  compaction: true,
  permission: true,
  elicitation: true,
  file: true,
  terminal: true,
  extension: true,
  diagnostic: true,
};

export const entryKinds = Object.keys(kinds) as readonly EntryKind[];
