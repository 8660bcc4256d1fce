// SPDX-License-Identifier: MIT OR Apache-2.0
// The inputs and effects of a session's files and terminals (ACP's fs/* and terminal/*).
import type { RpcError } from "../../../../acp-client/jsonrpc/message.ts";
import type { RequestKey } from "../state.ts";

export type ClientSideInput = FileInput | TerminalInput;

export type ClientSideEffect =
  | { readonly type: "answer"; readonly key: RequestKey; readonly result: object }
  | { readonly type: "refuse"; readonly key: RequestKey; readonly error: RpcError }
  | FileEffect
  | TerminalEffect;

export interface FileRefusal {
  /** A word from a fixed table. */
  readonly reason: string;
  /** Shown to the agent and to people. */
  readonly message: string;
  /** A JSON-RPC error code. */
  readonly code: number;
}

/**
 * `path`: with secrets redacted. `citizen`: the editor that has read or written it under its lease, or is to write it;
 * absent: agentd itself.
 */
export type FileInput =
  /** The file was read, and its text is held back until this is logged. `reason`: why a missing file reads as empty. */
  | {
      readonly type: "file_read";
      readonly key: RequestKey;
      readonly path: string;
      readonly outcome:
        | { readonly ok: true; readonly bytes: number; readonly reason?: string; readonly citizen?: string }
        | { readonly ok: false; readonly refusal: FileRefusal };
    }
  /** A write was requested; nothing has been written. */
  | {
      readonly type: "file_write";
      readonly key: RequestKey;
      readonly path: string;
      readonly bytes: number;
      readonly citizen?: string;
    }
  /** `seq`: of the entry that announced the write. */
  | {
      readonly type: "file_written";
      readonly seq: number;
      readonly outcome:
        | { readonly ok: true; readonly moved?: true; readonly citizen?: string }
        | { readonly ok: false; readonly refusal: FileRefusal };
    };

export type FileEffect =
  /** Send the text that was read to the agent. */
  | { readonly type: "hand_over"; readonly key: RequestKey }
  | {
      readonly type: "write_file";
      readonly key: RequestKey;
      readonly seq: number;
      readonly temporaryName: string;
    };

export type TerminalInput =
  | {
      readonly type: "terminal_create";
      readonly key: RequestKey;
      readonly command: string;
      readonly args: readonly string[];
      /** Absolute path; the session's directory when absent. */
      readonly cwd?: string;
      /** Names only; the values are not logged. */
      readonly env: readonly string[];
      /** The editor that is asked to run it; absent: agentd itself. */
      readonly citizen?: string;
    }
  | {
      readonly type: "terminal_failed";
      readonly key: RequestKey;
      readonly terminal: string;
      readonly message: string;
    }
  | {
      readonly type: "terminal_exited";
      readonly terminal: string;
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly tail: string;
      readonly truncated: boolean;
    }
  | { readonly type: "terminal_kill" | "terminal_release"; readonly key: RequestKey; readonly terminal: string };

export type TerminalEffect =
  | {
      readonly type: "start_terminal";
      readonly key: RequestKey;
      readonly terminal: string;
    }
  /** Tell those who wait for the terminal's exit, which is now in the log. */
  | {
      readonly type: "tell_exit";
      readonly terminal: string;
      readonly exitCode: number | null;
      readonly signal: string | null;
    }
  | { readonly type: "kill_terminal" | "release_terminal"; readonly key: RequestKey; readonly terminal: string };
