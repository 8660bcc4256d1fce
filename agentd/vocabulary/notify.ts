// SPDX-License-Identifier: MIT OR Apache-2.0
// The contract of the service that asks people: its names, limits and answers; what each verb takes is in
// `notify-arguments.ts`. It is this project's own; whoever serves it under another name serves `<name>.ask` and so on.

/** As the service is named unless the configuration says otherwise. */
export const notifyService = "notify";

/**
 * Published when an ask was answered, and when a new one is there: {ask, ref}. A hint and no more, since anybody may
 * publish it: who cares asks `get`.
 */
export const notifyTopics = (service: string) => ({
  asked: `${service}.asked`,
  answered: `${service}.answered`,
});

/**
 * Whether a name on the Bus is that of a program that an agent was given for it: `mcp-s-<session>-…` of agentd's sessions,
 * `mcp-…` of others. It may not answer for people.
 */
export function isAgentCitizen(name: string): boolean {
  return name.startsWith("mcp-");
}

/** UTF-16 units unless said otherwise. */
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
  /** How far ahead an ask may end. Without an end it waits for ever. */
  aheadMsMax: 31 * 24 * 60 * 60 * 1000,
  /** Of one answer to `list`; one ask is in it all the same. */
  listBytesMax: 4 * 1024 * 1024,
} as const;

export interface NotifyOption {
  readonly option: string;
  readonly label: string;
  /** ACP's kinds of a permission's options, or `accept`, `decline`; others are shown as they are. */
  readonly kind: string;
}

export const notifyStates = ["open", "answered", "withdrawn", "expired"] as const;
export type NotifyState = (typeof notifyStates)[number];

export interface NotifyQuestion {
  readonly ask: string;
  /** The name of who asked, as the broker stamped it. */
  readonly source: string;
  /** What who asked calls itself besides. */
  readonly label: string | null;
  /** On whose behalf who asked did so; null: its own. */
  readonly group: string | null;
  readonly ref: string;
  readonly title: string;
  readonly body: string;
  readonly options: readonly NotifyOption[];
  /** Title and body are not all of it. */
  readonly incomplete: boolean;
  /** UTC, RFC 3339, milliseconds. */
  readonly asked_at: string;
  /** Null: waits for ever. */
  readonly expires_at: string | null;
}

export interface NotifyAnswer {
  readonly option: string;
  /** How it was given: `desktop`, `mix`, or what the answering citizen calls it. */
  readonly via: string | null;
  /** The answering citizen, as the broker stamped it; null where it was given on the desktop. */
  readonly by: string | null;
  readonly at: string;
}

interface Ended {
  readonly ended_at: string;
  /** Who asked has taken note of the end. */
  readonly noted: boolean;
}

/** What `get` and `withdraw` answer, and `list` many of. */
export type NotifyAsk = NotifyQuestion &
  (
    | { readonly state: "open" }
    | ({ readonly state: "answered"; readonly answer: NotifyAnswer } & Ended)
    | ({ readonly state: "withdrawn"; readonly reason: string } & Ended)
    | ({ readonly state: "expired" } & Ended)
  );

export interface NotifyReplies {
  /** `state`: it is another than `open` where the same was asked before and a person was quick. */
  readonly ask: { readonly ask: string; readonly state: NotifyState };
  readonly get: NotifyAsk;
  readonly withdraw: NotifyAsk;
  /** False: nobody is there to see it. It is not kept. */
  readonly tell: { readonly shown: boolean };
  /** Oldest first. `more`: ask again with `after`. */
  readonly list: { readonly asks: readonly NotifyAsk[]; readonly more: boolean };
  readonly answer: NotifyAsk;
}

export const notifyErrorCodes = {
  ARGUMENT: "an argument is wrong or missing; `field` names it",
  ASK_UNKNOWN: "no such ask, or none any more",
  ASK_CONFLICT: "the same source has asked something else under this ref; `ask`",
  REQUEST_CLOSED: "the ask was answered or ended before; `state`, `answer`",
  OPTION_UNKNOWN: "not among the options; `options`",
  AGENT_SELF: "an agent's own program may not answer for people",
  NOT_YOURS: "only who asked may withdraw",
  UNSUPPORTED: "not for callers without a name, or from other nodes",
  BUSY: "too much at once, try again",
  STORE_FAILED: "the store cannot be written: nothing was done",
} as const;
export type NotifyErrorCode = keyof typeof notifyErrorCodes;
