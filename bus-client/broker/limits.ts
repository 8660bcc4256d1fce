// SPDX-License-Identifier: MIT OR Apache-2.0

/** Limits of one embedded broker. The first three are part of the Bus's contract, the others bound its memory. */
export interface BrokerLimits {
  /** Messages that may wait for one connection. Further ones are dropped and counted. */
  readonly queuedMessagesMax: number;
  /** Bytes of the frame inside a publication. */
  readonly publicationBytesMax: number;
  /** How long a retained message outlives its publisher's connection. */
  readonly staleRetainedMs: number;
  /** How often stale retained messages are checked. */
  readonly staleCheckMs: number;
  /** The minimum time between two published changes of one property. */
  readonly propsChangedMs: number;
  /** Bytes buffered in one socket before messages wait in the broker's queue. */
  readonly socketBytesMax: number;
  /** Bytes that may wait in that queue. */
  readonly queuedBytesMax: number;
  /** Unanswered requests allowed for one connection. */
  readonly unansweredMax: number;
  readonly connectionsMax: number;
  readonly subscriptionsMax: number;
  readonly topicsMax: number;
  /** Bytes of all retained messages together. The oldest are deleted to stay below it. */
  readonly retainedBytesMax: number;
  /** Bytes of one registration's provenance. A larger one is ignored. */
  readonly provenanceBytesMax: number;
}

export const defaultLimits: BrokerLimits = {
  queuedMessagesMax: 256,
  publicationBytesMax: 1024 * 1024,
  staleRetainedMs: 60_000,
  staleCheckMs: 10_000,
  propsChangedMs: 100,
  socketBytesMax: 1024 * 1024,
  queuedBytesMax: 64 * 1024 * 1024,
  unansweredMax: 4_096,
  connectionsMax: 512,
  subscriptionsMax: 1_024,
  topicsMax: 4_096,
  retainedBytesMax: 64 * 1024 * 1024,
  provenanceBytesMax: 64 * 1024,
};
