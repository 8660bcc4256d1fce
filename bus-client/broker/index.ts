// SPDX-License-Identifier: MIT OR Apache-2.0

export { createBroker } from "./broker.ts";
export type { Broker, BrokerEvent, BrokerOptions } from "./broker.ts";
export { listenReplacingStale, keepSocketInPlace } from "./socket-upkeep.ts";
export { defaultLimits } from "./limits.ts";
export type { BrokerLimits } from "./limits.ts";
