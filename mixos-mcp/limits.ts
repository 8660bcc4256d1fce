// SPDX-License-Identifier: MIT OR Apache-2.0
// Every bound of the server, with its unit.

const KiB = 1024;

/** One text of a result. A model reads all of it; what is longer is cut, and says so. */
export const resultBytesMax = 64 * KiB;

/** One line from the MCP client. */
export const lineBytesMax = 10 * KiB * KiB;

/** Arrays and objects within one another in the arguments of a tool: as many as our services take. */
export { argumentsDepthMax } from "../bus-client/index.ts";

/** Tool calls being worked on at a time; one more is BUSY. */
export const callsMax = 16;

/** Of these, waits: they must not crowd out calls. */
export const waitsMax = 8;

/** How long a service or a topic is waited for, unless the call says otherwise. */
export const timeoutMsDefault = 30_000;

/** The longest `timeout_ms`. An MCP client mostly gives up sooner, and then cancels. */
export const timeoutMsMax = 300_000;

/** How long a tool call waits for the Bus to come back. */
export const connectWaitMs = 3_000;

/** Names in a row that may turn out to be taken, at each of which another is drawn. */
export const namesTriedMax = 8;
