// SPDX-License-Identifier: MIT OR Apache-2.0
// The outputs of this process. Nothing else of ours writes to them, but for programs whose stdout is a protocol.
import { streamSink } from "./stream-sink.ts";
import { TextOutput } from "./text-output.ts";
import type { Sink } from "./text-output.ts";

export interface ProcessOutput extends Sink {
  /** Calls back when all that was written is with the kernel; never where something could not be written. */
  flushed(then: () => void): void;
}

/** `failed` is called with the error where nobody reads, or nothing can be written. */
export function processOutput(
  name: "stdout" | "stderr",
  failed: (error: NodeJS.ErrnoException) => void,
): ProcessOutput {
  const stream = process[name].on("error", failed);
  const flushed = (then: () => void): void => {
    // A write that failed calls back before the stream says so.
    stream.write("", (error) => {
      if (!error) then();
    });
  };
  return Object.assign(streamSink(stream), { flushed });
}

/** For a program that goes on when nobody reads what it says. */
export function processWords(name: "stdout" | "stderr"): TextOutput {
  return new TextOutput(processOutput(name, () => undefined));
}
