// SPDX-License-Identifier: MIT OR Apache-2.0
// The outputs of this process. Nothing else of ours writes to them, but for programs whose stdout is a protocol.
import { OutputDescriptor } from "./output-descriptor.ts";
import { TextOutput } from "./text-output.ts";

/** `failed` is called with the error where nobody reads, or nothing can be written. */
export function processOutput(
  name: "stdout" | "stderr",
  failed: (error: NodeJS.ErrnoException) => void,
): OutputDescriptor {
  return new OutputDescriptor(name === "stdout" ? 1 : 2, () => process[name], failed);
}

/** For a program that goes on when nobody reads what it says. */
export function processWords(name: "stdout" | "stderr"): TextOutput {
  return new TextOutput(processOutput(name, () => undefined));
}
