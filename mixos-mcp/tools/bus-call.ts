// SPDX-License-Identifier: MIT OR Apache-2.0
import * as z from "zod";
import { checkAddress, checkCommand } from "../addresses.ts";
import { callService } from "../call-service.ts";
import { tool } from "../tool.ts";
import { service, timeoutMs } from "./arguments.ts";

export const busCall = tool({
  name: "bus_call",
  description:
    "Calls a command of a service on the MixOS Bus and returns its reply, which is usually JSON. bus_help lists a service's commands and their arguments. " +
    "A refusal is an error with an error_code. Never put secrets into the arguments: others on the Bus can see them.",
  arguments: z.strictObject({
    service,
    command: z.string().min(1).max(253).describe('The command, such as "agent.session.list".'),
    args: z.looseObject({}).optional().describe("The command's arguments, by name."),
    timeout_ms: timeoutMs,
  }),
  readOnly: false,
  waits: false,
  async run({ service: address, command, args, timeout_ms }, context) {
    checkAddress(address, context.denied);
    checkCommand(command);
    const call = { service: address, command, timeoutMs: timeout_ms, ...(args === undefined ? {} : { args }) };
    const { rc, body } = await callService(context, call);
    const text = body === "" ? "(done; the reply has no body)" : body;
    return rc === 0 ? [text] : [text, `[done with a warning: rc ${rc}]`];
  },
});
