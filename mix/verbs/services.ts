// SPDX-License-Identifier: MIT OR Apache-2.0
import { servicesOn } from "../../agent-client/requests/ask.ts";
import { type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { detectFit, formatTable } from "../view/table.ts";

export const spec: VerbSpec = {
  usage: "services",
  about: "Lists the services registered on the Bus.",
  flags: tableFlag,
  examples: ["mix services"],
  neverStarts: true,
};

export async function run({ args, context, output, connect }: Invocation): Promise<void> {
  const bus = await connect("bus");
  const services = await servicesOn(bus.client);
  const rows = services.map(({ name, version = "-", pid = "-", started_at: since = "-" }) => [
    name,
    version,
    `${pid}`,
    since,
  ]);
  if (output.mode === "json") await output.document("mix.services.v1", { services });
  else if (output.mode === "ids") for (const { name } of services) await output.line(name);
  else {
    const fit = detectFit(context, args.switch("no-trunc"));
    const table = [["SERVICE", "VERSION", "PID", "STARTED"], ...rows];
    for (const line of formatTable(table, fit, [{ column: 0, min: 12 }])) await output.line(line);
  }
}
