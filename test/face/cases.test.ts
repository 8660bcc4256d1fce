// SPDX-License-Identifier: MIT OR Apache-2.0
// The cases of cases.ndjson, each against a face in this process.
import { test } from "vitest";
import { cases } from "./case-file.ts";
import { runCase } from "./run-case.ts";

const inProcess = cases.filter(({ program }) => program !== true);

test.each(inProcess.map((one) => [`${one.id} ${one.title}`, one] as const))("%s", async (_name, one) => {
  await runCase(one);
});
