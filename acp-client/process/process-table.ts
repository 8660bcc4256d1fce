// SPDX-License-Identifier: MIT OR Apache-2.0
// The processes of this machine, for all who start, watch and end trees of them.
import { ProcessScanner } from "./process-scan.ts";
import type { ProcessSnapshot } from "./process-scan.ts";
import { procSource, psSource } from "./process-source.ts";
import type { Marker, ProcessSource } from "./process-source.ts";

export interface ProcessTable extends Pick<ProcessSource, "bootId" | "read" | "stdio" | "seesStdio"> {
  /**
   * All processes. The look begins after the call, so it shows the effect of every signal sent before; everybody who asks
   * before it begins gets the same one. See ProcessScanner for how often that is, and for `marker`.
   */
  scan(marker?: Marker): Promise<ProcessSnapshot>;
}

let shared: ProcessTable | undefined;

/** The one of this process, so that all who ask at the same time share a look. */
export function processTable(): ProcessTable {
  shared ??= tableOf(process.platform === "linux" ? procSource() : psSource());
  return shared;
}

export function tableOf(source: ProcessSource): ProcessTable {
  const scanner = new ProcessScanner(source);
  return {
    bootId: source.bootId,
    read: (pid) => source.read(pid),
    stdio: (pid) => source.stdio(pid),
    seesStdio: source.seesStdio,
    scan: (marker) => scanner.scan(marker),
  };
}
