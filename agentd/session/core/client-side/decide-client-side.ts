// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent asks of its client with files and terminals. Whatever changes something is logged first and done then,
// and its end is logged before the agent is told.
import type { Draft } from "../draft.ts";
import { sessionEnding } from "./answers.ts";
import type { ClientSideEffect, ClientSideInput } from "./client-side-input.ts";
import { onFileRead, onFileWrite, onFileWritten, toCancelledWrite } from "./files.ts";
import {
  onTerminalCreate,
  onTerminalExited,
  onTerminalFailed,
  onTerminalKill,
  onTerminalRelease,
} from "./terminals.ts";

export function decideClientSide(draft: Draft, input: ClientSideInput): void {
  switch (input.type) {
    case "file_read":
      return onFileRead(draft, input);
    case "file_write":
      return onFileWrite(draft, input);
    case "file_written":
      return onFileWritten(draft, input);
    case "terminal_create":
      return onTerminalCreate(draft, input);
    case "terminal_failed":
      return onTerminalFailed(draft, input);
    case "terminal_exited":
      return onTerminalExited(draft, input);
    case "terminal_kill":
      return onTerminalKill(draft, input);
    case "terminal_release":
      return onTerminalRelease(draft, input);
  }
}

/** What is to be logged of an effect that found no agent any more; undefined where it promised nothing. */
export function compensate(effect: ClientSideEffect): ClientSideInput | undefined {
  switch (effect.type) {
    case "write_file":
      return toCancelledWrite(effect.seq);
    case "start_terminal":
      return { type: "terminal_failed", key: null, terminal: effect.terminal, message: sessionEnding };
    case "answer":
    case "refuse":
    case "hand_over":
    case "tell_exit":
    case "kill_terminal":
    case "release_terminal":
      return undefined;
  }
}
