// SPDX-License-Identifier: MIT OR Apache-2.0
// The arguments of the verbs of the service that asks people. Apart from `notify.ts`, which the core of a session loads
// and which therefore cannot load zod.
import * as z from "zod";
import { notifyLimits, type NotifyOption, notifyStates } from "./notify.ts";

const limits = notifyLimits;
const text = (max: number) => z.string().min(1).max(max);
const ask = text(64);

export const notifyOption = z.strictObject({
  option: z.string().max(limits.optionMax),
  label: z.string().max(limits.labelMax),
  kind: z.string().max(limits.kindMax),
}) satisfies z.ZodType<NotifyOption>;

export const notifyArguments = {
  /**
   * `source`: a label, stored beside the name that the broker stamped. `ref`: the asking citizen's own id of the question.
   * `group`: on whose behalf it asks. Groups get equal shares of the screen and of the open asks.
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
    /** Title or body leave something out. An allow is then offered only where all of it can be seen. */
    incomplete: z.boolean().default(false),
  }),
  get: z.strictObject({ ask }),
  /** `note_answer: false`: an answer that was already given is returned, but does not become `noted`. */
  withdraw: z.strictObject({ ask, reason: text(limits.reasonMax), note_answer: z.boolean().default(true) }),
  tell: z.strictObject({
    title: text(limits.titleMax),
    body: z.string().max(limits.bodyMax).default(""),
    urgency: z.enum(["low", "normal", "critical"]).default("normal"),
  }),
  /** `noted: false`: open asks, and ended ones that are not yet noted. `after`: the last ask of the previous page. */
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
