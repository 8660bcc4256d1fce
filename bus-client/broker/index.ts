// SPDX-License-Identifier: MIT OR Apache-2.0

export { removeStaleSocket } from "../embedded-socket.ts";
export { createBroker } from "./broker.ts";
export type { Broker, BrokerEvent, BrokerOptions } from "./broker.ts";
export { defaultLimits } from "./limits.ts";
export type { BrokerLimits } from "./limits.ts";
