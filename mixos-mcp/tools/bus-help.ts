// SPDX-License-Identifier: MIT OR Apache-2.0
import * as z from "zod";
import { checkAddress } from "../addresses.ts";
import { callService } from "../call-service.ts";
import { timeoutMsDefault } from "../limits.ts";
import { tool } from "../tool.ts";
import { service } from "./arguments.ts";

export const busHelp = tool({
  name: "bus_help",
  description:
    "Asks a service on the MixOS Bus which commands it takes: for each its name, its arguments (a trailing ? means optional), " +
    "what it does, and whether it only reads. Use it before bus_call. The broker, noded, does not support it.",
  arguments: z.strictObject({ service }),
  readOnly: true,
  waits: false,
  async run(args, context) {
    checkAddress(args.service, context.denied);
    const reply = await callService(context, { service: args.service, command: "HELP", timeoutMs: timeoutMsDefault });
    return [reply.body];
  },
});
