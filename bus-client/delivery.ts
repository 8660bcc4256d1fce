// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Frame, FrameHeaders } from "./wire.ts";

/** One message of a topic. The broker sets `topic`, `seq`, `registration`, `service`, `stale` and `cleared`; all else is unverified. */
export interface Delivery {
  readonly topic: string;
  readonly command: string;
  /** Counts the topic's messages at the broker. A gap means that deliveries were dropped. */
  readonly seq: number | undefined;
  readonly body: string;
  readonly headers: FrameHeaders;
  /** The publisher's incarnation as stamped by the broker. Undefined if it has no name, or if the delivery is forged. */
  readonly registration: string | undefined;
  /** The owner of a reserved topic, as stamped by the broker. */
  readonly service: string | undefined;
  /** True for a retained message whose publisher has disconnected. */
  readonly stale: boolean;
  /** True if the retained message was cleared. The body is empty then. */
  readonly cleared: boolean;
}

export function deliveryOf({ headers, body }: Frame): Delivery {
  const seq = Number(headers["topic_seq"] ?? Number.NaN);
  return {
    topic: headers["topic"] ?? "",
    command: headers["command"] ?? "",
    seq: Number.isSafeInteger(seq) ? seq : undefined,
    body,
    headers,
    registration: headers["broker_registration"],
    service: headers["broker_service"],
    stale: headers["topic_stale"] === "true",
    cleared: headers["topic_op"] === "delete",
  };
}
