// SPDX-License-Identifier: MIT OR Apache-2.0
// Every relative link in a Markdown file leads to a file or folder of the repository, and its anchor to a heading there.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const notOurs: ReadonlySet<string> = new Set(["node_modules", "dist"]);

function markdownFiles(folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith(".") || notOurs.has(entry.name) ? [] : markdownFiles(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

/** The targets of inline links, without those to the web. Code is not searched. */
function linksIn(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[^]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "code");
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target).filter(
    (target) => !/^[a-z]+:/i.test(target),
  );
}

/** The anchors of a file's headings, as GitHub makes them. */
function anchorsIn(markdown: string): ReadonlySet<string> {
  return new Set(
    Array.from(markdown.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function isBroken(file: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? join(root, file) : join(root, dirname(file), path);
  if (!existsSync(target)) return true;
  return anchor !== undefined && !anchorsIn(readFileSync(target, "utf8")).has(anchor);
}

test("every relative link in a Markdown file leads somewhere, and enough of them were seen", () => {
  const links = markdownFiles().flatMap((file) =>
    linksIn(readFileSync(join(root, file), "utf8")).map((link) => ({ file, link })),
  );
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter(({ file, link }) => isBroken(file, link))).toEqual([]);
});

test("a link to a missing file, or to a missing heading, is found", () => {
  expect(linksIn("[a](b.md), [the web](https://a.example), `[code](c.md)`")).toEqual(["b.md"]);
  expect(isBroken("docs/README.md", "no-such-file.md")).toBe(true);
  expect(isBroken("README.md", "docs/authority.md#no-such-heading")).toBe(true);
  expect(isBroken("README.md", "docs/authority.md#what-this-does-not-hold")).toBe(false);
});
