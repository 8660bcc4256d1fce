// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Writable } from "node:stream";
import { streamed } from "../output-descriptor.ts";
import type { Sink } from "../text-output.ts";

/** Makes a stream stand in for an output of the process. */
export function streamSink(stream: Writable & { readonly isTTY?: boolean; readonly columns?: number }): Sink {
  return {
    isTTY: stream.isTTY === true,
    columns: stream.columns,
    write: (text) => streamed(stream, text),
  };
}
