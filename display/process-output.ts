// SPDX-License-Identifier: MIT OR Apache-2.0
// The outputs of this process. Nothing else may write to them, except in programs whose stdout is a protocol.
import { streamSink } from "./stream-sink.ts";
import { type Sink, TextOutput } from "./text-output.ts";

export interface ProcessOutput extends Sink {
  /** Calls back when everything written has reached the kernel; never if a write failed. */
  flushed(then: () => void): void;
}

/** Calls `failed` with the error if nobody reads or a write fails. */
export function processOutput(
  name: "stdout" | "stderr",
  failed: (error: NodeJS.ErrnoException) => void,
): ProcessOutput {
  const stream = process[name].on("error", failed);
  const flushed = (then: () => void): void => {
    // A failed write calls back before the stream emits the error.
    stream.write("", (error) => {
      if (!error) then();
    });
  };
  return Object.assign(streamSink(stream), { flushed });
}

/** For a program that continues when nobody reads its output. */
export function processWords(name: "stdout" | "stderr"): TextOutput {
  return new TextOutput(processOutput(name, () => undefined));
}
