// SPDX-License-Identifier: MIT OR Apache-2.0
// Who is on the Bus.
import * as z from "zod";
import { registeredServices, type RegisteredService } from "../../bus-client/index.ts";
import { isDenied } from "../addresses.ts";
import { ask } from "../ask.ts";
import { timeoutMsDefault } from "../limits.ts";
import { ToolError } from "../tool-error.ts";
import { tool } from "../tool.ts";

export const busServices = tool({
  name: "bus_services",
  description:
    "Lists the services that are on the MixOS Bus of this machine now: programs that can be asked with bus_call. " +
    "Begin here, then ask bus_help what one of them can do. Services marked denied cannot be called.",
  arguments: z.strictObject({}),
  readOnly: true,
  waits: false,
  async run(_args, context) {
    const asked = { service: "noded", command: "noded.list", timeoutMs: timeoutMsDefault };
    const { body } = await ask(context, asked);
    return [JSON.stringify(servicesOf(body).map((service) => shown(service, isDenied(service.name, context.denied))))];
  },
});

function servicesOf(body: string): readonly RegisteredService[] {
  const services = registeredServices(JSON.parse(body));
  if (services === undefined)
    throw new ToolError("CALL_FAILED", "the broker's list of services is none", { rc: 0, body });
  return services;
}

function shown({ name, binary, version }: RegisteredService, denied: boolean): object {
  return { name, binary, version, ...(denied ? { denied } : {}) };
}
