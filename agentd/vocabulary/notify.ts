// SPDX-License-Identifier: MIT OR Apache-2.0
// The contract of the service that asks people: its names, limits and replies. The arguments are in
// `notify-arguments.ts`. A service with another name serves `<name>.ask` and so on.

/** Default name of the service; the configuration can set another. */
export const notifyService = "notify";

/**
 * Topics with the body {ask, ref}, published when an ask was made or answered. Only a hint, since anyone may publish on
 * them: call `get` for the facts.
 */
export const notifyTopics = (service: string) => ({
  asked: `${service}.asked`,
  answered: `${service}.answered`,
});

/**
 * True for the name of an agent's MCP server on the Bus: `mcp-s-<session>-…` in agentd's sessions, `mcp-…` for other MCP
 * clients. It may not answer for people.
 */
export function isAgentCitizen(name: string): boolean {
  return name.startsWith("mcp-");
}

/** UTF-16 code units, unless the name or comment gives another unit. */
export const notifyLimits = {
  titleMax: 512,
  bodyMax: 4096,
  optionsMax: 32,
  optionMax: 512,
  labelMax: 512,
  kindMax: 64,
  refMax: 256,
  sourceMax: 256,
  groupMax: 256,
  reasonMax: 256,
  viaMax: 64,
  /** How far in the future `expires_at` may be. An ask without it never expires. */
  aheadMsMax: 31 * 24 * 60 * 60 * 1000,
  /** UTF-8 bytes of one reply to `list`, which has at least one ask even if that is larger. */
  listBytesMax: 4 * 1024 * 1024,
} as const;

export interface NotifyOption {
  readonly option: string;
  readonly label: string;
  /** A kind of ACP's permission options, or `accept` or `decline`. Others are shown unchanged. */
  readonly kind: string;
}

export const notifyStates = ["open", "answered", "withdrawn", "expired"] as const;
export type NotifyState = (typeof notifyStates)[number];

export interface NotifyQuestion {
  readonly ask: string;
  /** The asking citizen's name, as the broker stamped it. */
  readonly source: string;
  /** The name that the asking citizen gives itself in the argument `source`. */
  readonly label: string | null;
  /** On whose behalf the citizen asks; null: its own. */
  readonly group: string | null;
  readonly ref: string;
  readonly title: string;
  readonly body: string;
  readonly options: readonly NotifyOption[];
  /** Title and body do not show everything that the question is about. */
  readonly incomplete: boolean;
  /** UTC, RFC 3339 with milliseconds. */
  readonly asked_at: string;
  /** Null: never. */
  readonly expires_at: string | null;
}

export interface NotifyAnswer {
  readonly option: string;
  /** `desktop`, `mix`, or another way that the answering citizen names. */
  readonly via: string | null;
  /** The answering citizen's name, as the broker stamped it; null for an answer on the desktop. */
  readonly by: string | null;
  readonly at: string;
}

interface Ended {
  readonly ended_at: string;
  /** The asking citizen has taken note of the end. */
  readonly noted: boolean;
}

/** The reply of `get`, `withdraw` and `answer`; `list` has many. */
export type NotifyAsk = NotifyQuestion &
  (
    | { readonly state: "open" }
    | ({ readonly state: "answered"; readonly answer: NotifyAnswer } & Ended)
    | ({ readonly state: "withdrawn"; readonly reason: string } & Ended)
    | ({ readonly state: "expired" } & Ended)
  );

export interface NotifyReplies {
  /** `state` can be other than `open` when the same ask was made before and has ended since. */
  readonly ask: { readonly ask: string; readonly state: NotifyState };
  readonly get: NotifyAsk;
  readonly withdraw: NotifyAsk;
  /** False: no desktop could show it. It is not stored. */
  readonly tell: { readonly shown: boolean };
  /** Oldest first. `more`: call again with `after`. */
  readonly list: { readonly asks: readonly NotifyAsk[]; readonly more: boolean };
  readonly answer: NotifyAsk;
}

export const notifyErrorCodes = {
  ARGUMENT: "an argument is wrong or missing; `field` names it",
  ASK_UNKNOWN: "no such ask, or it is no longer stored",
  ASK_CONFLICT: "the same source has another ask with this ref; `ask`",
  REQUEST_CLOSED: "the ask is already answered or ended; `state`, `answer`",
  OPTION_UNKNOWN: "not one of the options; `options`",
  AGENT_SELF: "a program of an agent may not answer for people",
  NOT_YOURS: "only the citizen that made the ask may withdraw it",
  UNSUPPORTED: "not for callers without a name, or from other nodes",
  BUSY: "too many requests at once; try again",
  STORE_FAILED: "the store cannot be written; nothing was done",
} as const;
export type NotifyErrorCode = keyof typeof notifyErrorCodes;
