// SPDX-License-Identifier: MIT OR Apache-2.0
// A program that uses up its file descriptors, then prints whether it can still read its own process.
import { openSync } from "node:fs";
import { procSource } from "../process-source.ts";

const source = procSource();
let failure: unknown;
while (failure === undefined) {
  try {
    openSync("/dev/null", "r");
  } catch (error) {
    failure = (error as NodeJS.ErrnoException).code;
  }
}
const marks = source.environmentValues(process.pid, "AGENTD_TEST_MARK");
const isListed = [...source.list()].some(({ pid }) => pid === process.pid);
process.stdout.write(
  `${JSON.stringify({ failure, isRead: source.read(process.pid) !== undefined, isListed, marks })}\n`,
);
