// SPDX-License-Identifier: MIT OR Apache-2.0

// The broker has its own door, broker/index.ts.
export { done, refused, type Answer } from "./answer.ts";
export { BusClient, type BusClientOptions } from "./bus-client.ts";
export { BusError, type BusErrorCode } from "./bus-error.ts";
export { Caller, type CallOptions } from "./caller.ts";
export { serveCitizen, type Citizen, type CitizenOptions, type HandlerResult, type Verb } from "./citizen.ts";
export { afterByWallClock, systemClock, type Clock } from "./clock.ts";
export type { IncomingCommand } from "./command.ts";
export type { ReplyListener } from "./connection.ts";
export { dial } from "./dial.ts";
export { discoverAndDial, discoverBus, nodeConfigFiles } from "./discovery.ts";
export type { BusLocation, DialledBus, Surroundings } from "./discovery.ts";
export { embeddedSocketPath, prepareSocketDirectory, probeSocket, trustedSocketDirectory } from "./embedded-socket.ts";
export { localTransportPair } from "./local-transport.ts";
export { askBrokerHost, parseRegisteredServices, type RegisteredService } from "./noded.ts";
export { paginate } from "./paginate.ts";
export type { PropDescription, Props } from "./props.ts";
export type { PublishOptions } from "./publication.ts";
export { provenanceOf, randomLetters, type Provenance } from "./registration.ts";
export { replyFailure, type Reply, type ReplyFailure } from "./reply.ts";
export { argumentsDepthMax, type Request } from "./request.ts";
export { unixPathBytesMax, unixUrl } from "./socket-path.ts";
export type { Delivery, DeliveryListener, Subscribed } from "./subscriptions.ts";
export type { BusClientState } from "./supervision.ts";
export type { Transport, TransportListener } from "./transport.ts";
export { frameBytesMax, parse, parseStrict, serialise } from "./wire.ts";
export type { Frame, FrameHeaders, ParsedFrame } from "./wire.ts";
