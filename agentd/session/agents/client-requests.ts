// SPDX-License-Identifier: MIT OR Apache-2.0
// The interface between a session and the handler of its agent's file and terminal requests.
import type { ClientSide } from "../../../acp-client/client-side.ts";
import type { ProcessIdentity } from "../../../acp-client/process/process-identity.ts";
import type { AgentQuirks } from "../../config/settings.ts";
import type { StateEntry } from "../../vocabulary/index.ts";
import type { ClientSideEffect, ClientSideInput } from "../core/client-side/client-side-input.ts";

export type ChildIdentity = NonNullable<StateEntry["process"]>;

/** Returns the identity as the log has it. */
export function childOf({ pid, startTime, bootId }: ProcessIdentity): ChildIdentity {
  return { pid, start_time: startTime, boot_id: bootId };
}

/** Takes the client-side requests of one agent and carries them out once they are logged. */
export interface ClientRequests {
  readonly clientSide: ClientSide;
  act(effect: ClientSideEffect): void;
  /** Takes no more requests. Resolves when all its processes are gone and their exits were posted. */
  end(): Promise<void>;
}

export interface ClientRequestHooks {
  /** Returns a request number that no other agent's request has. */
  readonly newKey: () => number;
  readonly quirks: () => AgentQuirks;
  /** Adds an input in the order of the agent's messages. */
  readonly ask: (input: ClientSideInput) => void;
  readonly fault: (fault: string, message: string) => void;
  /** Posts what was added outside a read of the agent's pipe. */
  readonly flush: () => void;
  /** Posts the outcome of something logged. It counts whatever run the session is in by then. */
  readonly tell: (input: ClientSideInput) => void;
  readonly record: (process: ChildIdentity, isAlive: boolean) => void;
}
