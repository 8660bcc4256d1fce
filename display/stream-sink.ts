// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Writable } from "node:stream";
import type { Sink } from "./text-output.ts";

/** Makes an output of a stream. Writes wait for a slow reader, so that nothing piles up in memory. */
export function streamSink(
  stream: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number },
): Sink {
  return {
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    get rows() {
      return stream.rows;
    },
    onResize: (listener) => {
      stream.on("resize", listener);
      return () => stream.off("resize", listener);
    },
    write: (text) => written(stream, text),
  };
}

function written(stream: Writable, text: string): Promise<void> {
  if (stream.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      stream.off("drain", over);
      stream.off("close", over);
      resolve();
    };
    stream.on("drain", over);
    stream.on("close", over);
  });
}
