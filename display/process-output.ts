// SPDX-License-Identifier: MIT OR Apache-2.0
// The outputs of this process. Nothing else may write to them, except in programs whose stdout is a protocol.
import { OutputDescriptor } from "./output-descriptor.ts";
import { TextOutput } from "./text-output.ts";

/** Calls `failed` with the error if nobody reads or a write fails. */
export function processOutput(
  name: "stdout" | "stderr",
  failed: (error: NodeJS.ErrnoException) => void,
): OutputDescriptor {
  return new OutputDescriptor(name === "stdout" ? 1 : 2, () => process[name], failed);
}

/** For a program that continues when nobody reads its output. */
export function processWords(name: "stdout" | "stderr"): TextOutput {
  return new TextOutput(processOutput(name, () => undefined));
}
