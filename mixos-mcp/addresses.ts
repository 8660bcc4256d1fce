// SPDX-License-Identifier: MIT OR Apache-2.0
// Which services this server asks, and which it does not. A guard rail and no wall: an agent with a shell has other
// ways to the Bus. It keeps a model from falling into a terminal of the desktop, past every permission.
import { ToolError } from "./tool-error.ts";

/** A desktop's terminals: an unasked shell. */
const defaultDenyList: readonly string[] = ["term", "term-*", "bterm"];

/** Patterns of services that are not asked; a trailing `*` stands for any rest. */
export type DenyList = readonly string[];

/** `text`: MIXOS_MCP_DENY, names with commas between them; empty, nothing is denied; unset, the default holds. */
export function parseDenyList(text: string | undefined): DenyList {
  if (text === undefined) return defaultDenyList;
  const patterns = text.split(",").map((pattern) => pattern.trim().toLowerCase());
  return patterns.filter((pattern) => pattern !== "");
}

/** Throws ARGUMENT for what is no address, and DENIED for one that leads to a denied service, of whatever node. */
export function checkAddress(address: string, denied: DenyList): void {
  // The Bus's own form, exactly: what a lenient reader might still take (capitals, white space) has no second spelling.
  if (!/^[a-z0-9-]+(?:[.@][a-z0-9-]+)*$/.test(address)) {
    throw new ToolError(
      "ARGUMENT",
      `not the address of a service: ${JSON.stringify(address)}; bus_services lists them`,
    );
  }
  if (!isDenied(address, denied)) return;
  throw new ToolError(
    "DENIED",
    `${address} is not called from here: this instance denies it to MCP clients (mcp_deny). Do not look for a way round; ask the person you work for.`,
  );
}

/** By its service, wherever that stands in the address. */
export function isDenied(address: string, denied: DenyList): boolean {
  return [address, ...findServices(address)].some((name) => denied.some((pattern) => matchesPattern(name, pattern)));
}

/**
 * `<service>`, `<service>.<node>`, `<sub>.<service>.<node>`, each perhaps with `.bus` behind, `<service>@<mesh>`; and
 * `<node>.bus`, which is the broker. Where a label may be a service's or a sub-service's, it counts as one.
 */
function findServices(address: string): readonly string[] {
  const [here = "", mesh] = address.split("@");
  const labels = here.split(".");
  const hasSuffix = labels.length > 1 && labels.at(-1) === "bus";
  if (hasSuffix) labels.pop();
  if (hasSuffix && labels.length === 1) return [...labels, "noded"];
  if (labels.length > 1 && mesh === undefined) labels.pop();
  return labels;
}

function matchesPattern(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Of the broker's commands, those that only read. */
const brokerReadCommands: ReadonlySet<string> = new Set([
  "noded.ping",
  "noded.list",
  "noded.info",
  "noded.peers",
  "noded.inventory",
  "noded.props.get",
  "noded.props.list",
  "noded.props.describe",
]);

/** What else the broker does to the connection that asks. */
const connectionCommands: ReadonlySet<string> = new Set(["props.watch", "topic.subscribe", "topic.unsubscribe"]);

/**
 * Throws DENIED for what may change this server's own connection: without its name nobody would know it for an agent's.
 * By the command alone, since no other service has such a one: so it holds whatever else an address can be read as.
 */
export function checkCommand(command: string): void {
  // The broker takes white space off both ends: a command with some would be another one there than here.
  if (!/^[!-~]+$/.test(command)) {
    throw new ToolError("ARGUMENT", `not a command: ${JSON.stringify(command)}; bus_help lists a service's commands`);
  }
  const written = command.toLowerCase();
  const isOwn = written.startsWith("noded.") ? !brokerReadCommands.has(written) : connectionCommands.has(written);
  if (!isOwn) return;
  throw new ToolError("DENIED", `${command} concerns this server's own connection; use bus_wait to follow a topic`);
}
