// SPDX-License-Identifier: MIT OR Apache-2.0
// All limits of notifyd, with their units. The limits that callers must know are in the vocabulary (`notifyLimits`).

export const limits = {
  /** Open asks in all, and from one source. */
  openMax: 1024,
  openPerSourceMax: 512,
  /** Open asks of one group of a source; the second applies once half of the source's limit is used. */
  openPerGroupMax: 64,
  openPerGroupCrowdedMax: 4,
  /** UTF-8 bytes of all open asks, which presenters keep in memory. One ask has at most 0.2 MiB. */
  openBytesMax: 64 * 1024 * 1024,
  /** Open asks of all agents' own programs, and of one. Fewer than `shownMax`, so they cannot fill the screen. */
  openOfAgentsMax: 12,
  openPerAgentMax: 4,
  /** The newest ended asks are kept, this many and for this long. */
  endedMax: 1000,
  endedMsMax: 7 * 24 * 60 * 60 * 1000,
  /** How often the wall clock is checked for asks that expire: timers stand still while the machine sleeps. */
  expiryCheckMs: 2_000,
  /** How long to wait for the lock when another notifyd holds it. */
  lockWaitMs: 500,
  /** Commands that may be unanswered at once. */
  commandsMax: 64,
  /** Time before an answer that could not be written is retried. */
  answerRetryMs: 2_000,
  /** How long a presenter may take to close. Longer than the desktop's helper programs need to end. */
  presenterCloseMs: 5_000,
  /** Notifications on the screen at once. */
  shownMax: 16,
  /** How long the notification service may take to report its capabilities. */
  probeTimeoutMs: 5_000,
  /** Time between two probes while something waits to be shown, if nothing tells when there is a service. */
  probeRetryMs: 60_000,
  /** Time before the program that watches the notification service is started again, and starts allowed in `watchStartsMs`. */
  watchRestartMs: 1_000,
  watchStartsMax: 5,
  watchStartsMs: 600_000,
  /** Changes of the service's owner in `probeRetryMs` after which the next probe waits for that time. */
  ownerChangesMax: 10,
  /** How long notify-send may take for a notification without buttons. */
  sendTimeoutMs: 5_000,
  /** Time between SIGINT and SIGKILL for a program that shows a notification. */
  killAfterMs: 2_000,
  /** Bytes read from a helper program's stdout, and from its stderr. */
  outputBytesMax: 4_096,
  /** `tell` notifications allowed in any `tellsMax` * `tellIntervalMs` milliseconds. */
  tellsMax: 5,
  tellIntervalMs: 1_000,
} as const;
export type Limits = { readonly [Name in keyof typeof limits]: number };
