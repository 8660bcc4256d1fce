// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { procSource } from "../../../acp-client/process/process-source.ts";
import { createProcessTable } from "../../../acp-client/process/process-table.ts";
import { endTreeGracefully } from "./terminal.ts";
import { shell } from "./testing/terminals.ts";

test(
  "250 children that ignore SIGTERM are ended without blocking the event loop for all of them at once",
  { tags: "slow" },
  async () => {
    const children = 250;
    await using command = await shell(
      `trap '' TERM; i=0; while [ $i -lt ${children} ]; do sleep 600 & i=$((i+1)); done; echo started; wait`,
    );
    await command.says("started");
    const source = procSource();
    let inThisTurn = 0;
    let inOneTurnMax = 0;
    let over = false;
    const note = <T>(value: T): T => {
      inThisTurn += 1;
      inOneTurnMax = Math.max(inOneTurnMax, inThisTurn);
      return value;
    };
    const turn = (): void => {
      inThisTurn = 0;
      if (!over) setImmediate(turn);
    };
    turn();
    // Each signal, and each check of one process, begins with a read. By an interval of 1 ms, the longest hold took 10 to 20
    // ms of CPU, 30 in the first run of a process, and 36 to 73 ms of time under a load average of 17.
    const table = createProcessTable({ ...source, read: (pid) => note(source.read(pid)) });
    const ended = await endTreeGracefully({ marker: command.marker }, { termGraceMs: 100, killWaitMs: 60_000 }, table);
    over = true;
    expect(ended).toEqual({ killed: children + 1, left: 0 });
    expect(inOneTurnMax).toBeLessThan(children);
    expect(command.living()).toEqual([]);
  },
);
