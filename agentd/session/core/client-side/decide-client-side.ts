// SPDX-License-Identifier: MIT OR Apache-2.0
// Rules for an agent's file and terminal requests. Every change is logged before it happens, and its outcome is logged
// before the agent hears of it.
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

/** Returns the input that cancels an effect whose agent is gone, or undefined when the log announced nothing. */
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
