// SPDX-License-Identifier: MIT OR Apache-2.0
// What a test and the driver of a client say to each other: JSON lines over a Unix socket that the test listens on. A
// driver is a program in which a real client runs, with these variables: EDITOR_SOCKET, EDITOR_AGENT (the agent's words,
// as a JSON array), EDITOR_MODULES (where the npm packages are) and, in Neovim and Emacs, EDITOR_SOURCES (the folders of
// the plugins, as a JSON object). Its working directory is the session's.

/** Which option the client chooses when it is asked for permission. */
export type AnswerKind = "allow_once" | "reject_once";

export type DriverCommand =
  /** Opens a session. */
  | { readonly do: "open" }
  /** Opens one that exists, with its history. */
  | { readonly do: "load"; readonly session: string }
  /** Not awaited: a further command may follow at once. */
  | { readonly do: "prompt"; readonly text: string; readonly answer?: AnswerKind }
  | { readonly do: "cancel" }
  | { readonly do: "list" }
  | { readonly do: "mode"; readonly value: string }
  | { readonly do: "option"; readonly option: string; readonly value: string }
  /** Ends the agent as the client does when its user closes it, and then the driver itself. */
  | { readonly do: "end" };

export type DriverEvent =
  | { readonly event: "opened"; readonly session: string }
  /** What the agent has said since, as far as the client shows it, a load's history too; or all that it shows by now. */
  | { readonly event: "said"; readonly text: string }
  | { readonly event: "asked"; readonly kinds: readonly string[] }
  /** The nth prompt of this driver is over, counted from 1; `end` is the stop reason, or "error". */
  | { readonly event: "turn"; readonly number: number; readonly end: string; readonly message?: string }
  | { readonly event: "listed"; readonly sessions: readonly string[] }
  /** The mode or the option is set. */
  | { readonly event: "set" }
  | { readonly event: "failed"; readonly do: string; readonly message: string };
