// SPDX-License-Identifier: MIT OR Apache-2.0

export { createBroker, type Broker, type BrokerEvent, type BrokerOptions } from "./broker.ts";
export { listenReplacingStale, keepSocketInPlace } from "./socket-upkeep.ts";
export { defaultLimits, type BrokerLimits } from "./limits.ts";
