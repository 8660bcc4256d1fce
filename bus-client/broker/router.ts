// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "../bus-error.ts";
import { parse, serialiseParsed, type FrameHeaders, type ParsedFrame } from "../wire.ts";
import { targetOf } from "./address.ts";
import type { BrokerLimits } from "./limits.ts";
import { failedHeader, replyHeaders, type NodedReply } from "./noded-reply.ts";
import { OutboundMessage } from "./outbound.ts";
import type { Peer } from "./peer.ts";
import type { Registry } from "./registry.ts";
import { copyWithoutStamps } from "./stamps.ts";

export interface ReceivedFrame extends ParsedFrame {
  /** The body of a publication that came as bytes; `body` has then only the header of the inner frame. */
  readonly bytes: Buffer | undefined;
}

export interface RouterParts {
  readonly node: string;
  readonly limits: BrokerLimits;
  readonly registry: Registry;
  readonly verbs: Readonly<Record<string, (peer: Peer, frame: ReceivedFrame) => NodedReply>>;
  /** Returns whether the message was sent or queued. Counts dropped messages. */
  readonly send: (peer: Peer, message: OutboundMessage) => boolean;
}

/** Routes each received message: an answer to its caller, a request to the broker itself or to a service. */
export class Router {
  readonly #parts: RouterParts;
  readonly #requests = new PendingRequests();

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  receive(peer: Peer, text: string, bytes?: Buffer): void {
    let frame: ReceivedFrame;
    try {
      frame = { ...parse(text), bytes };
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      this.#rejectInvalid(peer, error);
      return;
    }
    const { headers } = frame;
    if (headers["type"] === "response") return this.#answer(peer, frame);
    if (headers["rc"] !== undefined && this.#requests.isAwaitedFrom(headers["id"], peer))
      return this.#answer(peer, frame);
    const address = headers["to"] ?? "";
    const target = targetOf(address, this.#parts.node);
    switch (target.kind) {
      case "noded":
        return this.#serve(peer, frame);
      case "service":
        return this.#deliver(peer, target.name, frame);
      case "other-node":
        return this.#refuse(peer, headers, `Unknown mesh node: '${target.node}'`, 10);
      case "other-mesh":
        return this.#refuse(peer, headers, `cross-mesh routing not implemented: '${address}'`, 10);
      case "invalid":
        return this.#refuse(peer, headers, `Invalid Bus target: '${address}'`, 10);
    }
  }

  /** Answers UNAVAILABLE to the callers of a closed connection. */
  leave(peer: Peer): void {
    const message = "recipient connection retired before response";
    const body = JSON.stringify({ details: {}, error_code: "UNAVAILABLE", message });
    for (const { caller, callerId } of this.#requests.closeAllOf(peer)) {
      const headers = { error: "UNAVAILABLE", id: callerId, rc: "20", type: "response" };
      this.#parts.send(caller, new OutboundMessage(serialiseParsed(headers, body)));
    }
  }

  /** Closes the connection over a Unix socket, and answers with an error over TCP, as noded does. */
  #rejectInvalid(peer: Peer, { message }: BusError): void {
    if (peer.lane.kind === "unix") return peer.lane.close();
    const headers = { error: `Invalid Bus message: ${message}`, rc: "10" };
    this.#parts.send(peer, new OutboundMessage(serialiseParsed(headers, "")));
  }

  #serve(peer: Peer, frame: ReceivedFrame): void {
    const command = frame.headers["command"] ?? "";
    const { verbs } = this.#parts;
    const verb = Object.hasOwn(verbs, command) ? verbs[command] : undefined;
    const reply = verb === undefined ? failedHeader(`Unknown noded command: '${command}'`) : verb(peer, frame);
    const headers = replyHeaders(reply, frame.headers);
    this.#parts.send(peer, new OutboundMessage(serialiseParsed(headers, reply.body)));
  }

  #deliver(peer: Peer, name: string, frame: ReceivedFrame): void {
    const { headers } = frame;
    const callee = this.#parts.registry.find(name);
    if (callee === undefined) return this.#refuse(peer, headers, `Service '${name}' not found`, 10);
    const overloaded = `Service '${name}' overloaded (outbound buffer full)`;
    if (peer.unanswered >= this.#parts.limits.unansweredMax) return this.#refuse(peer, headers, overloaded, 20);
    const stamped = this.#stamp(peer, headers);
    const callerId = headers["id"];
    if (callerId !== undefined) stamped["id"] = this.#requests.open({ caller: peer, callee, callerId });
    const message = new OutboundMessage(serialiseParsed(stamped, frame.body));
    if (this.#parts.send(callee, message)) return;
    if (callerId !== undefined) this.#requests.close(stamped["id"], callee);
    const isConnected = this.#parts.registry.find(name) === callee && callee.lane.isOpen;
    if (isConnected) this.#refuse(peer, headers, overloaded, 20);
    else this.#refuse(peer, headers, `Service '${name}' disconnected`, 10);
  }

  /** Forwards an answer under the caller's own id. Drops one that nobody awaits from this connection. */
  #answer(peer: Peer, frame: ReceivedFrame): void {
    const { headers } = frame;
    const request = this.#requests.close(headers["id"], peer);
    if (request === undefined) return;
    const stamped = this.#stamp(peer, headers);
    stamped["id"] = request.callerId;
    this.#parts.send(request.caller, new OutboundMessage(serialiseParsed(stamped, frame.body)));
  }

  #stamp(peer: Peer, headers: FrameHeaders): FrameHeaders {
    const stamped: FrameHeaders = { broker_origin: "local" };
    copyWithoutStamps(headers, stamped);
    if (peer.registration === undefined) delete stamped["from"];
    else stamped["from"] = peer.registration.name;
    return stamped;
  }

  #refuse(peer: Peer, request: FrameHeaders, error: string, rc: 10 | 20): void {
    const headers: FrameHeaders = { error, rc: String(rc), type: "response" };
    if (request["id"] !== undefined) headers["id"] = request["id"];
    this.#parts.send(peer, new OutboundMessage(serialiseParsed(headers, "")));
  }
}

interface PendingRequest {
  readonly caller: Peer;
  /** The connection that received the request. Only it may answer. */
  readonly callee: Peer;
  /** The id that the caller chose. */
  readonly callerId: string;
}

/** Requests that were delivered to a service and are not answered yet. They have no timeout while both connections last. */
class PendingRequests {
  readonly #pending = new Map<string, PendingRequest>();
  #lastNumber = 0;

  /** Adds a request and returns the id that the callee sees. */
  open(request: PendingRequest): string {
    const id = `noded-${++this.#lastNumber}`;
    this.#pending.set(id, request);
    request.caller.unanswered++;
    return id;
  }

  /** Removes and returns the request that `callee` answers with `id`. Undefined if there is none for this callee. */
  close(id: string | undefined, callee: Peer): PendingRequest | undefined {
    const request = id === undefined ? undefined : this.#pending.get(id);
    if (request === undefined || request.callee !== callee) return undefined;
    this.#pending.delete(id!);
    request.caller.unanswered--;
    return request;
  }

  isAwaitedFrom(id: string | undefined, callee: Peer): boolean {
    return id !== undefined && this.#pending.get(id)?.callee === callee;
  }

  /** Removes all requests from or to a closed connection, and returns those of other callers that it did not answer. */
  closeAllOf(peer: Peer): PendingRequest[] {
    const unanswered: PendingRequest[] = [];
    for (const [id, request] of this.#pending) {
      if (request.callee !== peer && request.caller !== peer) continue;
      this.#pending.delete(id);
      request.caller.unanswered--;
      if (request.caller !== peer) unanswered.push(request);
    }
    return unanswered;
  }
}
