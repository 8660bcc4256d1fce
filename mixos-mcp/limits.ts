// SPDX-License-Identifier: MIT OR Apache-2.0
// All limits of the server.

const KiB = 1024;

/** Size of one text of a result. Longer ones are truncated, with a note. */
export const resultBytesMax = 64 * KiB;

/** Length of one line from the MCP client. */
export const lineBytesMax = 10 * KiB * KiB;

/** Nesting depth of a tool's arguments. Our own services have the same limit. */
export { argumentsDepthMax } from "../bus-client/index.ts";

/** Tool calls that run at a time; further ones fail with BUSY. */
export const callsMax = 16;

/** How many of these may be waits, so that waits leave room for calls. */
export const waitsMax = 8;

/** Default of `timeout_ms`. */
export const timeoutMsDefault = 30_000;

/** Maximum of `timeout_ms`. Most MCP clients cancel earlier. */
export const timeoutMsMax = 300_000;

/** How long a tool call waits for the Bus to become reachable. */
export const connectWaitMs = 3_000;

/** Consecutive random names that may be taken before the server gives up. */
export const namesTriedMax = 8;
