// SPDX-License-Identifier: MIT OR Apache-2.0
// The contract of the service that asks people: its verbs, what each takes and answers. It is this project's own; whoever
// serves it under another name serves `<name>.ask` and so on.
import { z } from "zod";

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
export function isAgentsOwn(name: string): boolean {
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

const limits = notifyLimits;
const text = (max: number) => z.string().min(1).max(max);
const ask = text(64);

export const notifyOption = z.strictObject({
  option: z.string().max(limits.optionMax),
  label: z.string().max(limits.labelMax),
  /** ACP's kinds of a permission's options, or `accept`, `decline`; others are shown as they are. */
  kind: z.string().max(limits.kindMax),
});
export type NotifyOption = z.infer<typeof notifyOption>;

export const notifyStates = ["open", "answered", "withdrawn", "expired"] as const;
export type NotifyState = (typeof notifyStates)[number];

export const notifyArguments = {
  /**
   * `source` is a label that is kept beside the name that the broker stamped; `ref` names the question to who asks. `group`:
   * on whose behalf, where who asks does so for many. Groups share alike in the screen and the room for open asks.
   */
  ask: z.strictObject({
    title: text(limits.titleMax),
    body: z.string().max(limits.bodyMax).default(""),
    options: z
      .array(notifyOption)
      .min(1)
      .max(limits.optionsMax)
      .refine((options) => new Set(options.map(({ option }) => option)).size === options.length, "options repeat"),
    expires_at: z.iso.datetime({ offset: true }).nullable().default(null),
    source: text(limits.sourceMax).optional(),
    group: text(limits.groupMax).optional(),
    ref: text(limits.refMax),
    /** Who asks has left something out of title or body: a yes is only asked for where all of it can be seen. */
    incomplete: z.boolean().default(false),
  }),
  get: z.strictObject({ ask }),
  /** `note_answer: false`: an answer that it meets is told and left to be taken note of, since who asked did not know. */
  withdraw: z.strictObject({ ask, reason: text(limits.reasonMax), note_answer: z.boolean().default(true) }),
  tell: z.strictObject({
    title: text(limits.titleMax),
    body: z.string().max(limits.bodyMax).default(""),
    urgency: z.enum(["low", "normal", "critical"]).default("normal"),
  }),
  /** `noted: false`: open ones, and ended ones that who asked has not taken note of. `after`: an ask of an earlier page. */
  list: z.strictObject({
    state: z.enum(notifyStates).optional(),
    source: text(limits.sourceMax).optional(),
    label: text(limits.sourceMax).optional(),
    noted: z.boolean().optional(),
    after: ask.optional(),
  }),
  answer: z.strictObject({ ask, option: z.string().max(limits.optionMax), via: text(limits.viaMax).optional() }),
} as const;
export type NotifyVerb = keyof typeof notifyArguments;
export type NotifyArguments<V extends NotifyVerb> = z.output<(typeof notifyArguments)[V]>;
export type NotifyInput<V extends NotifyVerb> = z.input<(typeof notifyArguments)[V]>;

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
