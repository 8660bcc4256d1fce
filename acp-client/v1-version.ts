// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Outcome } from "./agent-events.ts";
import { isRecord } from "../json/record.ts";
import { RPC } from "./jsonrpc/message.ts";
import { truncateText } from "./jsonrpc/sample.ts";
import type { AgentIdentity } from "./model.ts";
import type { AgentLink } from "./protocol-session.ts";
import { findProtocolVersion, decodeIdentity } from "./schema/v1/results.ts";

/**
 * Checks the response to initialize. An agent may answer with a version other than the requested one, in which case the
 * client must disconnect (ACP v1). Only the JSON integer 1 is version 1.
 */
export function checkVersion(answer: Outcome<unknown>, link: AgentLink): Outcome<AgentIdentity> {
  if (!answer.ok) return refusalOutcome(answer, link);
  const version = findProtocolVersion(answer.value);
  const identity = version === 1 ? decodeIdentity(answer.value) : undefined;
  if (identity !== undefined) return { ok: true, value: identity };
  const spoken = version === undefined ? "without a protocol version" : `with protocol version ${quoteJson(version)}`;
  return { ok: false, failure: link.protocolFailure(`answered initialize ${spoken}; version 1 was asked for`) };
}

function refusalOutcome(answer: Extract<Outcome<unknown>, { ok: false }>, link: AgentLink): Outcome<AgentIdentity> {
  const { rpc } = answer.failure;
  if (rpc?.code === RPC.methodNotFound) {
    return {
      ok: false,
      failure: { ...link.protocolFailure("does not know initialize, so it is not an ACP agent"), rpc },
    };
  }
  if (rpc?.code !== RPC.unsupportedVersion) return answer;
  const supported = isRecord(rpc.data) && Array.isArray(rpc.data["supported"]) ? rpc.data["supported"] : [];
  const needs = supported.includes(2) ? "needs protocol 2" : `speaks protocol version ${quoteJson(supported)}`;
  return { ok: false, failure: { ...link.protocolFailure(`${needs}; version 1 was asked for`), rpc } };
}

function quoteJson(version: unknown): string {
  return truncateText(JSON.stringify(version), 100);
}
