// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes a file again and again until it is killed, alternating between all "a" and all "b":
// node --import tsx writer.ts <path> <session's directory> <temporary name> <bytes>. Exits with 1 at a refusal.
import { writeTextFile } from "../write-text-file.ts";
import { nothingReserved } from "../../../testing/nothing-reserved.ts";

const [path = "", directory = "", temporaryName = "", bytes = ""] = process.argv.slice(2);
const bytesMax = Number(bytes);

for (let round = 0; ; round++) {
  const letter = round % 2 === 0 ? "b" : "a";
  const put = writeTextFile(path, letter.repeat(bytesMax), {
    directories: [directory],
    reserved: nothingReserved,
    temporaryName,
    bytesMax,
  });
  if (!put.ok) {
    process.stderr.write(`${put.refusal.message}\n`);
    process.exit(1);
  }
}
