// SPDX-License-Identifier: MIT OR Apache-2.0

// The broker has its own door, broker/index.ts, so that it does not load with a client.
export { done, refused } from "./answer.ts";
export type { Answer } from "./answer.ts";
export { BusClient } from "./bus-client.ts";
export type { BusClientOptions } from "./bus-client.ts";
export { BusError } from "./bus-error.ts";
export type { BusErrorCode } from "./bus-error.ts";
export { Caller } from "./caller.ts";
export type { CallOptions } from "./caller.ts";
export { serveCitizen } from "./citizen.ts";
export type { Citizen, CitizenOptions, Handled, Verb } from "./citizen.ts";
export { systemClock } from "./clock.ts";
export type { Clock } from "./clock.ts";
export type { IncomingCommand } from "./command.ts";
export type { ReplyListener } from "./connection.ts";
export type { Delivery } from "./delivery.ts";
export { dial } from "./dial.ts";
export { discoverAndDial, discoverBus } from "./discovery.ts";
export type { BusLocation, DialledBus, Surroundings } from "./discovery.ts";
export { embeddedSocketPath, probeSocket, trustedSocketDirectory } from "./embedded-socket.ts";
export { localTransportPair } from "./local-transport.ts";
export { pagesOf } from "./pages.ts";
export type { PublishOptions } from "./publication.ts";
export type { PropDescription, Props } from "./props.ts";
export { randomLetters } from "./random-letters.ts";
export { registeredServices } from "./registered-services.ts";
export type { RegisteredService } from "./registered-services.ts";
export type { Provenance } from "./registration.ts";
export { replyFailure } from "./reply.ts";
export type { Reply, ReplyFailure } from "./reply.ts";
export type { Request } from "./request.ts";
export { unixPathBytesMax, unixUrl } from "./socket-path.ts";
export type { DeliveryListener, Subscribed } from "./subscriptions.ts";
export type { BusClientState } from "./supervision.ts";
export type { Transport, TransportListener } from "./transport.ts";
export { frameBytesMax, parse, parseStrict, serialise } from "./wire.ts";
export type { Frame, FrameHeaders, ParsedFrame } from "./wire.ts";
