// SPDX-License-Identifier: MIT OR Apache-2.0
// The interface between a session and the handler of its agent's file and terminal requests.
import type { ClientSide } from "../../../acp-client/client-side.ts";
import type { ProcessIdentity } from "../../../acp-client/process/process-identity.ts";
import type { StateEntry } from "../../vocabulary/index.ts";
import type { ClientSideEffect, ClientSideInput } from "../core/client-side/client-side-input.ts";

export type ChildIdentity = NonNullable<StateEntry["process"]>;

/** In the log's form. */
export function childOf({ pid, startTime, bootId }: ProcessIdentity): ChildIdentity {
  return { pid, start_time: startTime, boot_id: bootId };
}

/** Handles the file and terminal requests of one agent; carries them out when they are logged. */
export interface ClientRequests {
  readonly clientSide: ClientSide;
  act(effect: ClientSideEffect): void;
  /** Refuses further requests. Resolves when all of its processes have ended and their exits are reported. */
  end(): Promise<void>;
}

export interface ClientRequestHooks {
  /** Returns a key that no other request of any agent has. */
  readonly newKey: () => number;
  /** Posts the input in its order among everything that the agent says. */
  readonly ask: (input: ClientSideInput) => void;
  readonly fault: (fault: string, message: string) => void;
  /** Posts inputs that were made outside a read of the agent's pipe; inside one, the end of the read does it. */
  readonly flush: () => void;
  /** Posts the outcome of an effect. It is valid in any later run of the session, too. */
  readonly tell: (input: ClientSideInput) => void;
  readonly record: (process: ChildIdentity, lives: boolean) => void;
}
