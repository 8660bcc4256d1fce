// SPDX-License-Identifier: MIT OR Apache-2.0
// All tools, by name.
import type { Tool } from "./tool.ts";
import { busCall } from "./tools/bus-call.ts";
import { busHelp } from "./tools/bus-help.ts";
import { busPublish } from "./tools/bus-publish.ts";
import { busServices } from "./tools/bus-services.ts";
import { busWait } from "./tools/bus-wait.ts";

export const tools: ReadonlyMap<string, Tool> = new Map(
  [busServices, busHelp, busCall, busPublish, busWait].map((one) => [one.name, one as Tool]),
);
