// SPDX-License-Identifier: MIT OR Apache-2.0

import { answerProps, type Props } from "../props.ts";
import { isRecord } from "../../json/record.ts";
import { jsonObjectIn } from "../json-object.ts";
import type { ParsedFrame } from "../wire.ts";
import type { BrokerLimits } from "./limits.ts";
import { failedHeader, okBody, type NodedReply } from "./noded-reply.ts";
import type { Peer } from "./peer.ts";
import type { RegistrationError, Registry } from "./registry.ts";

export interface NodeFacts {
  readonly node: string;
  readonly version: string;
  readonly hostedBy: string | undefined;
  readonly incarnation: string;
  readonly startedAt: string;
  uptimeSeconds(): number;
}

/** The verbs of the broker itself, except those on topics. */
export function nodedVerbs(
  registry: Registry,
  props: Props,
  facts: NodeFacts,
  limits: BrokerLimits,
): Record<string, (peer: Peer, frame: ParsedFrame) => NodedReply> {
  return {
    "noded.register": (peer, frame) => register(registry, limits, peer, frame),
    "noded.deregister": (peer) =>
      okBody(`{"deregistered": ${JSON.stringify(registry.release(peer, "deregister") ?? null)}}`),
    "noded.ping": () => okBody('{"pong": true, "extensions": {"core": "1.0", "topic": "1.0"}}'),
    "noded.list": () => okBody(JSON.stringify(registry.peers.map(serviceInfo))),
    "noded.info": () => okBody(JSON.stringify(nodeInfo(registry, facts))),
    "noded.props.get": (_peer, frame) => answerProps(props, "get", frame),
    "noded.props.list": (_peer, frame) => answerProps(props, "list", frame),
    "noded.props.describe": (_peer, frame) => answerProps(props, "describe", frame),
  };
}

function register(registry: Registry, limits: BrokerLimits, peer: Peer, { headers, body }: ParsedFrame): NodedReply {
  const name = headers["from"];
  const refusal = registry.register(peer, name, provenanceOf(body, limits));
  return refusal === undefined
    ? okBody(`{"registered": ${JSON.stringify(name)}}`)
    : registerRefused(refusal, name ?? "");
}

function registerRefused(refusal: RegistrationError, name: string): NodedReply {
  switch (refusal) {
    case "missing":
      return failedHeader("noded.register requires 'from' header");
    case "malformed":
      return failedHeader("noded.register 'from' must match ^[a-z][a-z0-9-]{1,30}$");
    case "reserved":
      return { rc: 10, error: "reserved_name", body: '{"error":"reserved_name"}' };
    case "taken": {
      const message = `service name '${name}' is already registered`;
      const reason = { error_code: "NAME_TAKEN", message, schema: "noded.registration-rejection.v1" };
      return { rc: 10, error: message, body: JSON.stringify(reason) };
    }
  }
}

const textFields = ["binary", "version", "git_sha", "build_time", "started_at"];

/** Reads a service's provenance. Malformed or oversized parts are left out and never fail the registration. */
function provenanceOf(body: string, { provenanceBytesMax }: BrokerLimits): Record<string, unknown> {
  if (body === "" || Buffer.byteLength(body) > provenanceBytesMax) return {};
  const fields = jsonObjectIn(body);
  const kept: Record<string, unknown> = {};
  for (const key of textFields) if (typeof fields[key] === "string") kept[key] = fields[key];
  if (typeof fields["git_dirty"] === "boolean") kept["git_dirty"] = fields["git_dirty"];
  const { pid, meta } = fields;
  if (typeof pid === "number" && Number.isInteger(pid) && pid >= 0 && pid <= 0xffff_ffff) kept["pid"] = pid;
  if (isRecord(meta)) {
    kept["meta"] = Object.fromEntries(Object.entries(meta).filter(([, value]) => typeof value === "string"));
  }
  return kept;
}

function serviceInfo({ registration }: Peer): object {
  const { name, incarnation, registeredAt, provenance } = registration!;
  const meta = { ...(provenance["meta"] as object | undefined), registration_incarnation: incarnation };
  return { name, ...provenance, registered_at: registeredAt, schema_version: 1, meta };
}

function nodeInfo(registry: Registry, facts: NodeFacts): object {
  const { node, version, hostedBy, incarnation, startedAt } = facts;
  const host = hostedBy === undefined ? {} : { hosted_by: hostedBy };
  return {
    node,
    noded: {
      name: "noded",
      version,
      started_at: startedAt,
      registered_at: startedAt,
      schema_version: 1,
      meta: { registration_incarnation: incarnation, embedded: "true", ...host },
    },
    uptime_s: facts.uptimeSeconds(),
    service_count: registry.count,
    schema_version: 1,
  };
}
