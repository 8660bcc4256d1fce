// SPDX-License-Identifier: MIT OR Apache-2.0
// The services and commands that tools may call. This is a guard rail and not a security boundary, since an agent with
// a shell can reach the Bus without it. It keeps a model from using a desktop terminal without asking for permission.
import { ToolError } from "./tool-error.ts";

/** The desktop's terminals, which would be a shell without permission requests. */
const defaultDenyList: readonly string[] = ["term", "term-*", "bterm"];

/** Patterns of services that must not be called. A trailing `*` matches any suffix. */
export type DenyList = readonly string[];

/** Parses MIXOS_MCP_DENY, a comma-separated list. An empty text denies nothing; undefined means the default. */
export function parseDenyList(text: string | undefined): DenyList {
  if (text === undefined) return defaultDenyList;
  const patterns = text.split(",").map((pattern) => pattern.trim().toLowerCase());
  return patterns.filter((pattern) => pattern !== "");
}

/** Throws ARGUMENT for an invalid address, and DENIED for the address of a denied service on any node. */
export function checkAddress(address: string, denied: DenyList): void {
  // Strict, so that no other spelling (capitals, white space) that a lenient broker accepts can get past the deny list.
  if (!/^[a-z0-9-]+(?:[.@][a-z0-9-]+)*$/.test(address)) {
    throw new ToolError(
      "ARGUMENT",
      `not the address of a service: ${JSON.stringify(address)}; bus_services lists the services`,
    );
  }
  if (!isDenied(address, denied)) return;
  throw new ToolError(
    "DENIED",
    `${address} is not called from here: this instance denies it to MCP clients (mcp_deny). Do not work around this; ask the person you work for.`,
  );
}

/** Whether the address names a denied service in any position. */
export function isDenied(address: string, denied: DenyList): boolean {
  return [address, ...findServices(address)].some((name) => denied.some((pattern) => matchesPattern(name, pattern)));
}

/**
 * Returns the labels of an address that may be services. Forms: `<service>`, `<service>.<node>`,
 * `<sub>.<service>.<node>`, each optionally with `.bus`; `<service>@<mesh>`; and `<node>.bus`, which is the broker.
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

/** Commands of the broker that only read. */
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

/** Other commands of the broker that act on the caller's connection. */
const connectionCommands: ReadonlySet<string> = new Set(["props.watch", "topic.subscribe", "topic.unsubscribe"]);

/**
 * Throws DENIED for commands that may change this server's own connection, such as its name, by which others recognise
 * an agent. Checks the command alone, whatever the address, since no other service has commands of these names.
 */
export function checkCommand(command: string): void {
  // The broker trims white space, so a command with some would be a different one there.
  if (!/^[!-~]+$/.test(command)) {
    throw new ToolError("ARGUMENT", `not a command: ${JSON.stringify(command)}; bus_help lists a service's commands`);
  }
  const name = command.toLowerCase();
  const isConnectionCommand = name.startsWith("noded.") ? !brokerReadCommands.has(name) : connectionCommands.has(name);
  if (!isConnectionCommand) return;
  throw new ToolError("DENIED", `${command} would change this server's own connection; use bus_wait to follow a topic`);
}
