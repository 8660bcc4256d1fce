// SPDX-License-Identifier: MIT OR Apache-2.0
import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";

/** Calls `onLine` for each line (LF or CRLF), also an unterminated last one. Skips blank lines and a byte order mark. */
export function readLines(input: Readable, onLine: (line: string) => void, onEnd: () => void): void {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = []; // joined once per line
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
