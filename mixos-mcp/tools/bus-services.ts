// SPDX-License-Identifier: MIT OR Apache-2.0
import * as z from "zod";
import { parseRegisteredServices, type RegisteredService } from "../../bus-client/index.ts";
import { isDenied } from "../addresses.ts";
import { callService } from "../call-service.ts";
import { timeoutMsDefault } from "../limits.ts";
import { ToolError } from "../tool-error.ts";
import { tool } from "../tool.ts";

export const busServices = tool({
  name: "bus_services",
  description:
    "Lists the services that are now on the MixOS Bus of this machine: programs that can be called with bus_call. " +
    "Begin here, then ask bus_help what one of them can do. Services marked denied cannot be called.",
  arguments: z.strictObject({}),
  readOnly: true,
  waits: false,
  async run(_args, context) {
    const call = { service: "noded", command: "noded.list", timeoutMs: timeoutMsDefault };
    const { body } = await callService(context, call);
    return [
      JSON.stringify(parseServices(body).map((service) => toRow(service, isDenied(service.name, context.denied)))),
    ];
  },
});

function parseServices(body: string): readonly RegisteredService[] {
  const services = parseRegisteredServices(JSON.parse(body));
  if (services === undefined)
    throw new ToolError("CALL_FAILED", "the broker sent an invalid list of services", { rc: 0, body });
  return services;
}

function toRow({ name, binary, version }: RegisteredService, denied: boolean): object {
  return { name, binary, version, ...(denied ? { denied } : {}) };
}
