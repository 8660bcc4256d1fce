// SPDX-License-Identifier: MIT OR Apache-2.0
// A Bus in a test's place on which one name, `far-node`, is that of a program on another node: the embedded broker has no
// mesh, so what comes from there is stamped on its way to whoever gets it.
import { createBroker } from "../../bus-client/broker/index.ts";
import { listenUnix } from "../../bus-client/broker/listen.ts";
import { embeddedSocketPath, parse, serialise } from "../../bus-client/index.ts";
import type { Place } from "./place.ts";

export const farNode = "far-node";

export async function openMeshNode({ environment }: Place): Promise<AsyncDisposable> {
  const uid = process.getuid?.() ?? -1;
  const broker = createBroker();
  const open = { hasRoom: () => true, refused: () => undefined };
  type Accept = Parameters<typeof listenUnix>[2];
  const accept: Accept = Object.assign((webSocket: Parameters<Accept>[0]) => {
    const line = broker.connectLocal();
    line.listen({ message: (text) => webSocket.send(farStamped(text)), close: () => webSocket.close() });
    webSocket.on("message", (data: Buffer) => line.send(data.toString("utf8")));
    webSocket.on("ping", (payload) => webSocket.pong(payload));
    webSocket.on("close", () => line.close());
  }, open);
  const listener = await listenUnix(embeddedSocketPath({ env: environment, uid }), uid, accept);
  return {
    async [Symbol.asyncDispose]() {
      await broker.close();
      await listener.close();
    },
  };
}

function farStamped(text: string): string {
  const { headers, body } = parse(text);
  return headers["from"] === farNode ? serialise({ headers: { ...headers, broker_origin: "mesh" }, body }) : text;
}
