// SPDX-License-Identifier: MIT OR Apache-2.0
// Which services this server asks, and which it does not. A guard rail and no wall: an agent with a shell has other
// ways to the Bus. It keeps a model from falling into a terminal of the desktop, past every permission.
import { ToolError } from "./tool-error.ts";

/** A desktop's terminals: an unasked shell. */
const deniedByDefault: readonly string[] = ["term", "term-*", "bterm"];

/** Patterns of services that are not asked; a trailing `*` stands for any rest. */
export type Denied = readonly string[];

/** `text`: MIXOS_MCP_DENY, names with commas between them; empty, nothing is denied; unset, the default holds. */
export function deniedOf(text: string | undefined): Denied {
  if (text === undefined) return deniedByDefault;
  const patterns = text.split(",").map((pattern) => pattern.trim().toLowerCase());
  return patterns.filter((pattern) => pattern !== "");
}

/** Throws ARGUMENT for what is no address, and DENIED for one that leads to a denied service, of whatever node. */
export function checkAddress(address: string, denied: Denied): void {
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

/**
 * By its service, wherever that stands: `<service>`, `<service>.<node>`, `<sub>.<service>.<node>`, each perhaps with
 * `.bus` behind, and `<service>@<mesh>`. Where a label may be a service's or a sub-service's, it counts as one.
 */
export function isDenied(address: string, denied: Denied): boolean {
  const [here = "", mesh] = address.split("@");
  const labels = here.split(".");
  if (labels.length > 1 && labels.at(-1) === "bus") labels.pop();
  if (labels.length > 1 && mesh === undefined) labels.pop();
  return [address, ...labels].some((name) => denied.some((pattern) => fits(name, pattern)));
}

function fits(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** What the broker does to the connection that asks: this server's own, by whose name others know it. */
const ofTheConnection: ReadonlySet<string> = new Set([
  "noded.register",
  "noded.deregister",
  "noded.tap",
  "noded.observe.start",
  "noded.observe.stop",
  "props.watch",
  "topic.subscribe",
  "topic.unsubscribe",
]);

/** Throws DENIED for a command to the broker that would change the connection of this server. */
export function checkCommand(address: string, command: string): void {
  const isBroker = /^noded(?:[.@]|$)|^[^.]+\.bus$/.test(address);
  if (!isBroker || !ofTheConnection.has(command)) return;
  throw new ToolError("DENIED", `${command} concerns this server's own connection; use bus_wait to follow a topic`);
}
