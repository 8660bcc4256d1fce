// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Frame, FrameHeaders } from "./wire.ts";

/** One message of a topic. Everything but `topic`, `seq`, `registration`, `service`, `stale` and `cleared` is its publisher's word. */
export interface Delivery {
  readonly topic: string;
  readonly command: string;
  /** The broker's count within the topic; a gap means that deliveries were dropped. */
  readonly seq: number | undefined;
  readonly body: string;
  readonly headers: FrameHeaders;
  /** The publisher's incarnation as the broker stamped it; undefined where the publisher has no name, or forged the delivery. */
  readonly registration: string | undefined;
  /** The service that owns a reserved topic, as the broker stamped it. */
  readonly service: string | undefined;
  /** A retained message whose publisher has left. */
  readonly stale: boolean;
  /** The retained message was withdrawn; the body is empty. */
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
