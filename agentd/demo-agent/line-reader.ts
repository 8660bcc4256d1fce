// SPDX-License-Identifier: MIT OR Apache-2.0
import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";

/** Calls back for each line of the stream (LF or CRLF, blank ones left out, a byte order mark too), for a last one without its end too. */
export function readLines(input: Readable, onLine: (line: string) => void, onEnd: () => void): void {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = []; // a line of many reads is joined once
  const take = (text: string): void => {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      pieces.push(line);
      const whole = pieces.join("").replace(/^\ufeff|\r$/gu, "");
      pieces = [];
      if (whole !== "") onLine(whole);
    }
    if (last !== "") pieces.push(last);
  };
  input.on("data", (chunk: Buffer) => take(decoder.write(chunk)));
  input.once("end", () => {
    take(`${decoder.end()}\n`);
    onEnd();
  });
  input.on("error", onEnd);
}
