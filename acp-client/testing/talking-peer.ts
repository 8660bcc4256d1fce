// SPDX-License-Identifier: MIT OR Apache-2.0
import type { IncomingRequest } from "../jsonrpc/incoming-request.ts";
import { Peer, type RequestOutcome } from "../jsonrpc/peer.ts";
import type { PeerLimits } from "../jsonrpc/peer-limits.ts";

/** Creates a peer and records everything that it writes and reports, in one order. */
export function talk(limits: Partial<PeerLimits> = {}) {
  const written: string[] = [];
  const told: unknown[] = [];
  const requests: IncomingRequest[] = [];
  const faults: { fault: string; message: string; sample: string }[] = [];
  const peer = new Peer({
    write: (line) => written.push(line),
    limits,
    handler: {
      onRequest: (request) => {
        requests.push(request);
        told.push(["request", request.method]);
      },
      onNotification: (method, params) => told.push(["notification", method, params]),
      onCancelRequest: (request) => told.push(["cancelled", request.key]),
      onFault: (fault, message, sample) => faults.push({ fault, message, sample }),
      onBroken: (message) => told.push(["broken", message]),
    },
  });
  const ask = (method = "x"): RequestOutcome[] => {
    const answers: RequestOutcome[] = [];
    peer.request(method, {}, (answer) => {
      answers.push(answer);
      told.push(["answer", method]);
    });
    return answers;
  };
  return { peer, written, told, requests, faults, ask, kinds: () => faults.map(({ fault }) => fault) };
}
