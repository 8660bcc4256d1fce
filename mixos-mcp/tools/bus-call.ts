// SPDX-License-Identifier: MIT OR Apache-2.0
// Asks a service to do something.
import * as z from "zod";
import { checkAddress, checkCommand } from "../addresses.ts";
import { ask } from "../ask.ts";
import { tool } from "../tool.ts";
import { service, timeoutMs } from "./arguments.ts";

export const busCall = tool({
  name: "bus_call",
  description:
    "Calls a command of a service on the MixOS Bus and returns its reply, as a rule JSON. Names and arguments are those of bus_help. " +
    "A refusal is an error with an error_code. Nothing secret belongs into the arguments: others on the Bus can see them.",
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
    const asked = { service: address, command, timeoutMs: timeout_ms, ...(args === undefined ? {} : { args }) };
    const { rc, body } = await ask(context, asked);
    const text = body === "" ? "(done; the reply has no body)" : body;
    return rc === 0 ? [text] : [text, `[done with a warning: rc ${rc}]`];
  },
});
