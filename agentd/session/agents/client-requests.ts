// SPDX-License-Identifier: MIT OR Apache-2.0
// The seam between a session and whoever serves its agent's files and terminals.
import type { ClientSide } from "../../../acp-client/client-side.ts";
import type { ProcessIdentity } from "../../../acp-client/process/process-identity.ts";
import type { StateEntry } from "../../vocabulary/index.ts";
import type { ClientSideEffect, ClientSideInput } from "../core/client-side/client-side-input.ts";

export type ChildIdentity = NonNullable<StateEntry["process"]>;

/** As the log has it. */
export function childOf({ pid, startTime, bootId }: ProcessIdentity): ChildIdentity {
  return { pid, start_time: startTime, boot_id: bootId };
}

/** Where the requests of one agent are taken, and done when they are logged. */
export interface ClientRequests {
  readonly clientSide: ClientSide;
  act(effect: ClientSideEffect): void;
  /** Nothing more is taken. Resolves when none of its processes is left, and their ends have been told. */
  end(): Promise<void>;
}

export interface ClientRequestHooks {
  /** Names a request: no other agent's request has the same. */
  readonly newKey: () => number;
  /** In its place among all that the agent says. */
  readonly ask: (input: ClientSideInput) => void;
  readonly fault: (fault: string, message: string) => void;
  /** What was asked in no read of the agent's pipe is put to the session now: no end of a burst does it. */
  readonly flush: () => void;
  /** What has become of something that was logged. It counts whatever life the session is in by then. */
  readonly tell: (input: ClientSideInput) => void;
  readonly record: (process: ChildIdentity, lives: boolean) => void;
}
