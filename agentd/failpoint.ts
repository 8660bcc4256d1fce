// SPDX-License-Identifier: MIT OR Apache-2.0
// The moments between which agentd may die. A test that has it die at each of them hands in what happens there; nobody
// else does.

export const failpointNames = [
  /** Around the transaction of a flush. */
  "log.before",
  "commit.before",
  "log.after",
  "reply.before",
  "reply.after",
  "frame_to_agent.before",
  "frame_to_agent.after",
  /** An agent lives, and is not recorded yet. */
  "agent.spawned",
  "frame_from_agent.before",
  "frame_from_agent.after",
  "publish.before",
  "publish.after",
  /** Of the last agentd's processes, and of its sessions. */
  "recovery.before",
  "recovery.processes",
  "recovery.after",
] as const;

export type FailpointName = (typeof failpointNames)[number];
export type Failpoint = (point: FailpointName) => void;

export const noFailpoint: Failpoint = () => {};
