// SPDX-License-Identifier: MIT OR Apache-2.0
// Who is on the Bus.
import { z } from "zod";
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

interface Service {
  readonly name: string;
  readonly binary?: unknown;
  readonly version?: unknown;
}

/** Older brokers list names alone. */
function servicesOf(body: string): readonly Service[] {
  const listed: unknown = JSON.parse(body);
  if (!Array.isArray(listed))
    throw new ToolError("CALL_FAILED", "the broker's list of services is none", { rc: 0, body });
  return listed.map((one: unknown) => (typeof one === "string" ? { name: one } : (one as Service)));
}

function shown({ name, binary, version }: Service, denied: boolean): object {
  return { name, binary, version, ...(denied ? { denied } : {}) };
}
