// SPDX-License-Identifier: MIT OR Apache-2.0

/** What one embedded broker bears. The first three are part of the Bus's contract, the others keep its memory bounded. */
export interface BrokerLimits {
  /** Messages that wait for one connection; what comes beyond is dropped and counted. */
  readonly queuedMessagesMax: number;
  /** Bytes of the frame within a publication. */
  readonly publicationBytesMax: number;
  /** How long a retained message outlives its publisher's connection. */
  readonly staleRetainedMs: number;
  /** How often that is looked at. */
  readonly staleCheckMs: number;
  /** At most one change of a path is told within this time, and a last one after it. */
  readonly propsChangedMs: number;
  /** Bytes handed to one socket before messages wait in our own queue. */
  readonly socketBytesMax: number;
  /** Bytes that wait in that queue. */
  readonly queuedBytesMax: number;
  /** Requests of one connection that may be unanswered. */
  readonly unansweredMax: number;
  readonly connectionsMax: number;
  readonly subscriptionsMax: number;
  readonly topicsMax: number;
  /** Bytes of all retained messages together; beyond it the oldest go. */
  readonly retainedBytesMax: number;
  /** Bytes that one registration may say of itself. */
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
