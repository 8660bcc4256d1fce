// SPDX-License-Identifier: MIT OR Apache-2.0
import * as z from "zod";
import { replyFailure } from "../../bus-client/index.ts";
import { stringifyJson } from "../../json/raw-json.ts";
import { tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { rejectOnAbort } from "../call-service.ts";
import { topic } from "./arguments.ts";

export const busPublish = tool({
  name: "bus_publish",
  description:
    "Publishes one message on a topic of the MixOS Bus, for its current subscribers; it is not kept for later. Returns to how " +
    "many it was delivered. Topics that belong to a service are refused. Never put secrets into a message.",
  arguments: z.strictObject({
    topic,
    body: z
      .union([z.string(), z.looseObject({}), z.array(z.unknown())])
      .describe("The message: an object or array, which is sent as JSON, or a string, which is sent as it is."),
  }),
  readOnly: false,
  waits: false,
  async run({ topic: name, body }, { connection, signal }) {
    const client = await connection.connectedClient(signal);
    const text = typeof body === "string" ? body : stringifyJson(body);
    const reply = await rejectOnAbort(client.publishAndConfirm(name, text), signal);
    const failure = replyFailure(reply);
    if (failure === undefined) return [reply.body];
    throw new ToolError(failure.code ?? "PUBLISH_REFUSED", failure.message, { rc: reply.rc, body: reply.body });
  },
});
