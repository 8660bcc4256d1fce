// SPDX-License-Identifier: MIT OR Apache-2.0
// What moves a session's files and terminals, and what a move brings about.
import type { RpcError } from "../../../../acp-client/jsonrpc/message.ts";
import type { RequestKey } from "../state.ts";

export type ClientSideInput = FileInput | TerminalInput;

export type ClientSideEffect =
  | { readonly type: "answer"; readonly key: RequestKey; readonly result: object }
  | { readonly type: "refuse"; readonly key: RequestKey; readonly error: RpcError }
  | FileEffect
  | TerminalEffect;

export interface FileRefusal {
  /** A word of a fixed table. */
  readonly reason: string;
  /** For the agent and for people. */
  readonly message: string;
  /** JSON-RPC's. */
  readonly code: number;
}

/** A path as it may be told: without what is secret. */
export type FileInput =
  /** It has been read, and waits to be handed over. `reason`: why it reads as empty though it is not there. */
  | {
      readonly type: "file_read";
      readonly key: RequestKey;
      readonly path: string;
      readonly outcome:
        | { readonly ok: true; readonly bytes: number; readonly reason?: string }
        | { readonly ok: false; readonly refusal: FileRefusal };
    }
  /** Nothing has been written yet. */
  | { readonly type: "file_write"; readonly key: RequestKey; readonly path: string; readonly bytes: number }
  /** `seq`: of the entry that said what was intended. */
  | {
      readonly type: "file_written";
      readonly seq: number;
      readonly outcome:
        | { readonly ok: true; readonly moved?: true }
        | { readonly ok: false; readonly refusal: FileRefusal };
    };

export type FileEffect =
  /** What was read goes to the agent. */
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
      /** Absolute; the session's where absent. */
      readonly cwd?: string;
      /** Names alone. */
      readonly env: readonly string[];
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
  /** Its end is in the log: who waits for it is told. */
  | {
      readonly type: "tell_exit";
      readonly terminal: string;
      readonly exitCode: number | null;
      readonly signal: string | null;
    }
  | { readonly type: "kill_terminal" | "release_terminal"; readonly key: RequestKey; readonly terminal: string };
