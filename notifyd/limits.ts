// SPDX-License-Identifier: MIT OR Apache-2.0
// Every bound of notifyd that is not a caller's (those are in the vocabulary), with its unit.

export const limits = {
  /** Open asks in all, and of one source. */
  openMax: 1024,
  openPerSourceMax: 512,
  /** Of one group of a source, and of one where half of the source's room is taken: what is left is for many. */
  openPerGroupMax: 64,
  openPerGroupLateMax: 4,
  /** Of these, open asks of agents' own programs, and of one of them. Fewer than `shownMax`: the screen is not theirs alone. */
  openOfAgentsMax: 12,
  openPerAgentMax: 4,
  /** Ended asks that are kept, the newest, and for how long. */
  endedMax: 1000,
  endedMsMax: 7 * 24 * 60 * 60 * 1000,
  /** How often the clock is looked at for asks that end: timers stand still while the machine sleeps. */
  expiryLookMs: 2_000,
  /** A held lock is tried for so long: of two that start at once, one must win. */
  lockWaitMs: 500,
  commandsMax: 64,
  /** A person's answer that could not be written is tried again after so long. */
  answerAgainMs: 2_000,
  /** Notifications on the screen at once, shared alike; others come up as these go. */
  shownMax: 16,
  /** Until the notification service must have said what it can do. */
  probeMs: 5_000,
  /** A service that was not there is looked for again after so long, while something is to be shown. */
  probeAgainMs: 60_000,
  /** A notification that waits for nothing has to be handed over within this time. */
  tellMs: 5_000,
  /** Between asking a notification to go and killing the program that holds it. */
  withdrawMs: 2_000,
  /** Bytes of what a helper program says. */
  outputBytesMax: 4_096,
  /** Tells that may come at once, and how long one takes to be counted out. */
  tellsMax: 5,
  tellEveryMs: 1_000,
} as const;
export type Limits = { readonly [Name in keyof typeof limits]: number };
