// SPDX-License-Identifier: MIT OR Apache-2.0
// The table of cases tells the truth: each case of these kinds is in it, and each test that it names is there.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const kinds: ReadonlySet<string> = new Set([
  "framing",
  "json-rpc",
  "ordering",
  "process",
  "spawn-env",
  "cancel",
  "queue",
  "permission",
  "multi-client",
  "security",
  "timeouts",
  "resume",
  "storage",
  "fs",
  "terminal",
  "mcp",
  "auth",
]);

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const root = (path: string): string => here(`../../${path}`);

interface Row {
  readonly number: number;
  /** Test files; none for what is left to a later part. */
  readonly files: readonly string[];
  readonly later: string | undefined;
}

const rows: readonly Row[] = readFileSync(here("README.md"), "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, number, where = ""] = /^\| (\d+) \| [^|]+ \| ([^|]+) \|$/.exec(line) ?? [];
    if (number === undefined) return [];
    const [tests, later] = where.split(/(?:^|; )later: /);
    return [{ number: Number(number), files: (tests ?? "").split(", ").filter((file) => file !== ""), later }];
  });

test("every case of these kinds stands in the table once, with its test or the part that it is left to", () => {
  const cases = readFileSync(root("test/data/cases.ndjson"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { n: number; kind: string });
  const numbers = cases.filter(({ kind }) => kinds.has(kind)).map(({ n }) => n);
  expect(numbers.length).toBeGreaterThan(60);
  expect(rows.map(({ number }) => number)).toEqual(numbers.toSorted((a, b) => a - b));
  expect(rows.filter(({ files, later }) => files.length === 0 && later === undefined)).toEqual([]);
});

test("every test file that the table names for a case is there, and one of this folder has the number in a title", () => {
  const untitled = rows.flatMap(({ number, files }) =>
    files
      .filter((file) => !titledNumbers(file.includes("/") ? root(file) : here(file), file).has(number))
      .filter((file) => !file.includes("/"))
      .map((file) => `${number}: ${file}`),
  );
  expect(untitled).toEqual([]);
});

test("every number in a title of this folder is that of a row which names the file", () => {
  const files = new Set(rows.flatMap((row) => row.files).filter((file) => !file.includes("/")));
  const stray = [...files].flatMap((file) =>
    [...titledNumbers(here(file), file)]
      .filter((number) => !rows.find((row) => row.number === number)?.files.includes(file))
      .map((number) => `${number}: ${file}`),
  );
  expect(stray).toEqual([]);
});

/** The numbers at the ends of a file's titles. */
function titledNumbers(path: string, file: string): Set<number> {
  const text = readFileSync(path, "utf8");
  const titles = [...text.matchAll(/\(cases? ([\d, ]+)\)["'`]/g)];
  if (!file.includes("/")) expect(titles.length).toBeGreaterThan(0);
  return new Set(titles.flatMap(([, numbers = ""]) => numbers.split(", ").map(Number)));
}
