// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { paginate, type PaginateOptions } from "./paginate.ts";

test.each<[string, Record<string, string>, Partial<PaginateOptions<string, string>>, string[]]>([
  ["up to the last page", { start: "b", b: "c" }, {}, ["start", "b", "c"]],
  ["from a given cursor", { start: "b", b: "c" }, { first: "b" }, ["b", "c"]],
  ["until a cursor repeats", { start: "b", b: "b" }, {}, ["start", "b"]],
  ["until a cursor leads back to the first", { b: "b" }, { first: "b" }, ["b"]],
  ["until the cursors form a circle", { start: "b", b: "c", c: "b" }, {}, ["start", "b", "c"]],
  ["up to pagesMax", { start: "b", b: "c", c: "d" }, { pagesMax: 2 }, ["start", "b"]],
])("pages are read %s", async (_, leads, some, expected) => {
  const read = async (after: string | undefined): Promise<string> => after ?? "start";
  const pages: string[] = [];
  for await (const page of paginate({ read, next: (from) => leads[from], ...some })) pages.push(page);
  expect(pages).toEqual(expected);
});
