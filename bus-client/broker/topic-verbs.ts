// SPDX-License-Identifier: MIT OR Apache-2.0

import { exceedsBytes, parse, type FrameHeaders, type ParsedFrame } from "../wire.ts";
import type { BrokerLimits } from "./limits.ts";
import { failedBody, failedHeader, okBody, type NodedReply } from "./noded-reply.ts";
import { nameOf, type Peer } from "./peer.ts";
import type { ReceivedFrame } from "./router.ts";
import { copyWithoutStamps } from "./stamps.ts";
import type { Topics } from "./topics.ts";

type TopicVerb = (peer: Peer, name: string, frame: ReceivedFrame) => NodedReply;

/** The verbs on topics. Their arguments are headers. */
export function topicVerbs(
  topics: Topics,
  limits: BrokerLimits,
): Record<string, (peer: Peer, frame: ReceivedFrame) => NodedReply> {
  return {
    "topic.subscribe": requireName("topic.subscribe", (peer, name) => subscribe(topics, peer, name)),
    "topic.unsubscribe": requireName("topic.unsubscribe", (peer, name) => {
      topics.unsubscribe(peer, name);
      return okBody("{}");
    }),
    "topic.publish": requireName("topic.publish", (peer, name, frame) => publish(topics, limits, peer, name, frame)),
    "topic.clear": requireName("topic.clear", (peer, name, { headers }) => {
      const refusal = ownershipError(peer, name);
      if (refusal !== undefined) return failedHeader(refusal);
      return okBody(JSON.stringify({ cleared: topics.clear(name, headers["notify"] !== "false") }));
    }),
    "topic.subscriber_count": requireName("topic.subscriber_count", (_peer, name) =>
      okBody(JSON.stringify({ name, subscribers: topics.subscriberCount(name) })),
    ),
    "topic.list": (_peer, { headers }) => okBody(JSON.stringify({ topics: topics.list(headers["prefix"] ?? "") })),
    "props.watch": (peer) => subscribe(topics, peer, "noded.props.changed"),
  };
}

const topicNameBytesMax = 512;

function requireName(verb: string, run: TopicVerb): (peer: Peer, frame: ReceivedFrame) => NodedReply {
  return (peer, frame) => {
    const name = frame.headers["name"];
    if (!name) return failedHeader(`${verb} requires 'name' header`);
    if (Buffer.byteLength(name) > topicNameBytesMax)
      return failedHeader(`${verb}: 'name' is longer than ${topicNameBytesMax} bytes`);
    return run(peer, name, frame);
  };
}

function subscribe(topics: Topics, peer: Peer, name: string): NodedReply {
  const reserved = reservedTopic(name);
  if (reserved?.access === "closed") return failedHeader(`topic_reserved: '${name}' takes no subscribers`);
  const subscribed = topics.subscribe(peer, name);
  if (subscribed === undefined) return failedHeader("too many topics or subscriptions", 20);
  const owner = nameOf(peer);
  const id = JSON.stringify(`${Buffer.byteLength(owner)}:${owner}::topic::${Buffer.byteLength(name)}:${name}`);
  return okBody(`{"subscription_id": ${id}, "replayed": ${subscribed.replayed}, "seq": ${subscribed.seq}}`);
}

function publish(topics: Topics, limits: BrokerLimits, peer: Peer, name: string, frame: ReceivedFrame): NodedReply {
  if (exceedsBytes(frame.body, limits.publicationBytesMax, frame.bytes?.length)) {
    return failedBody(`{"error": "payload_too_large", "limit": ${limits.publicationBytesMax}}`);
  }
  if (!frame.body.startsWith("---\n")) return failedBody('{"error": "malformed_payload"}');
  const inner = parse(frame.body);
  if (Object.keys(inner.headers).length === 0) return failedBody('{"error": "malformed_payload"}');
  if (name.startsWith("$") || inner.headers["command"]?.startsWith("noded.session.lifecycle")) {
    return failedBody('{"error": "reserved_name"}');
  }
  const refusal = ownershipError(peer, name);
  if (refusal !== undefined) return failedHeader(refusal);
  const headers = deliveryHeaders(peer, name, inner);
  const retain = frame.headers["retain"] !== "false";
  const body = frame.bytes ?? inner.body;
  const result = topics.publish({ topic: name, headers, body, retain, publisher: peer });
  if (result === undefined) return failedHeader("too many topics", 20);
  const { delivered, eligible, seq } = result;
  const dropped = eligible - delivered;
  return okBody(
    `{"delivered":${delivered},"dropped":${dropped},"eligible":${eligible},"partial":${dropped > 0},"refused":0,"seq":${seq}}`,
  );
}

/** Returns the publisher's headers without stamps. A delivery of a closed topic contains only the topic's name. */
function deliveryHeaders(peer: Peer, name: string, inner: ParsedFrame): FrameHeaders {
  const reserved = reservedTopic(name);
  // The keys are set in sorted order, as they are written.
  const headers: FrameHeaders = { broker_origin: "local" };
  if (peer.registration !== undefined) headers["broker_registration"] = peer.registration.incarnation;
  if (reserved !== undefined) headers["broker_service"] = reserved.owner;
  if (reserved?.access === "closed") headers["command"] = name;
  else copyWithoutStamps(inner.headers, headers);
  delete headers["topic_stale"];
  delete headers["topic_op"];
  return headers;
}

function ownershipError(peer: Peer, name: string): string | undefined {
  const reserved = reservedTopic(name);
  if (reserved === undefined || peer.registration?.name === reserved.owner) return undefined;
  return `topic_reserved: '${name}' belongs to '${reserved.owner}'`;
}

/** A topic whose name determines who may publish on it. Nobody can subscribe to a `closed` one. */
interface ReservedTopic {
  readonly owner: string;
  readonly access: "open" | "closed";
}

const serviceName = "([a-z][a-z0-9-]{1,30})";
const openTopic = new RegExp(`^${serviceName}\\.(?:props|pointer)\\.changed$`);
const closedTopic = new RegExp(`^${serviceName}\\.props\\.(?:records\\.changed|audit)$`);
const desktopTopic = /^settingsd\.desktop\.(?:changed|summary(?:\..+)?)$/;

function reservedTopic(name: string): ReservedTopic | undefined {
  if (desktopTopic.test(name)) return { owner: "settingsd", access: "open" };
  const openOwner = openTopic.exec(name)?.[1];
  if (openOwner !== undefined) return { owner: openOwner, access: "open" };
  const closedOwner = closedTopic.exec(name)?.[1];
  return closedOwner === undefined ? undefined : { owner: closedOwner, access: "closed" };
}
