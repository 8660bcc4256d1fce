// SPDX-License-Identifier: MIT OR Apache-2.0
// Failpoints: named places in the code at which a test makes agentd die. Only tests pass a function that is called there.

export const failpointNames = [
  /** These three are around the transaction of a batch. */
  "log.before",
  "commit.before",
  "log.after",
  "reply.before",
  "reply.after",
  "frame_to_agent.before",
  "frame_to_agent.after",
  /** An agent's process runs, and is not recorded yet. */
  "agent.spawned",
  "frame_from_agent.before",
  "frame_from_agent.after",
  "publish.before",
  "publish.after",
  /** Recovery ends the processes of the last agentd, then its sessions. */
  "recovery.before",
  "recovery.processes",
  "recovery.after",
] as const;

export type FailpointName = (typeof failpointNames)[number];
export type Failpoint = (point: FailpointName) => void;

export const noFailpoint: Failpoint = () => {};
