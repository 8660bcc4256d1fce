// SPDX-License-Identifier: MIT OR Apache-2.0
// The linter holds the walls between the folders; this holds the linter.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "agentd-walls-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Which folders of ours a file of each folder may import, besides its own. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  json: [],
  files: [],
  "bus-client": ["files", "json"],
  "acp-client": ["files", "json"],
  display: [],
  "agentd/vocabulary": ["json"],
  agentd: ["bus-client", "acp-client", "display", "files", "json", "agentd/vocabulary"],
  mix: ["bus-client", "display", "files", "json", "agentd/vocabulary", "package.json"],
  notifyd: ["bus-client", "display", "files", "json", "agentd/vocabulary"],
  "mixos-mcp": ["bus-client", "display", "files", "json", "package.json"],
};

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The file that is imported. */
  readonly target: string;
  readonly typeOnly: boolean;
}

function folderOf(path: string): string {
  const parts = path.split("/");
  const two = parts.slice(0, 2).join("/");
  return two in mayImport ? two : (parts[0] ?? "");
}

function importsOf(file: string): Import[] {
  return importsIn(file, readFileSync(join(root, file), "utf8"));
}

function importsIn(file: string, text: string): Import[] {
  const pattern = /(?:^|\n)\s*(import|export)\s+(type\s)?[^;"']*?from\s+"(\.[^"]+)"|import\("(\.[^"]+)"\)/g;
  return [...text.matchAll(pattern)].map((match) => {
    const target = relative(root, resolve(join(root, dirname(file)), match[3] ?? match[4] ?? ""));
    return { file, from: folderOf(file), to: folderOf(target), target, typeOnly: match[2] !== undefined };
  });
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes("testing/"))
    .map((name) => `${folder}/${name}`);
}

test("no folder imports another that it may not, and the imports were really seen", () => {
  const imports = ["json", "files", "bus-client", "acp-client", "display", "agentd", "mix", "mixos-mcp", "notifyd"]
    .flatMap(sources)
    .flatMap(importsOf);
  expect(imports.length).toBeGreaterThan(300);
  const crossing = imports.filter(({ from, to }) => from !== to);
  expect(crossing.length).toBeGreaterThan(40);
  expect(crossing.filter(({ from, to }) => !mayImport[from]?.includes(to))).toEqual([]);
});

test("nothing but the display writes to the outputs of a process", () => {
  const writes = /\bprocess\.(stdout|stderr)\b|\bprocess\[|\bconsole\.|\b(stdout|stderr)\b[^{}\n]*\} = process\b/;
  const files = [
    "json",
    "bus-client",
    "acp-client",
    "display",
    "files",
    "agentd",
    "mix",
    "mixos-mcp",
    "notifyd",
  ].flatMap(sources);
  expect(files.filter((file) => writes.test(readFileSync(join(root, file), "utf8"))).toSorted()).toEqual([
    // Their stdout is a protocol's.
    "agentd/demo-agent/main.ts",
    "display/process-output.ts",
    "mixos-mcp/main.ts",
  ]);
});

test("only the tests and the display look into styled text", () => {
  const readers = ["mix", "mixos-mcp", "notifyd", "agentd"].flatMap(sources).filter((file) => {
    return /\brendered\b/.test(readFileSync(join(root, file), "utf8"));
  });
  // They ask whether it ends its row, and whether there is any.
  expect(readers.toSorted()).toEqual(["mix/view/live-view.ts", "mix/view/transcript.ts"]);
});

test("the command line imports the vocabulary as types alone", () => {
  const values = sources("mix")
    .flatMap(importsOf)
    .filter(({ to, typeOnly }) => to === "agentd/vocabulary" && !typeOnly);
  expect(values).toEqual([]);
});

/** Imports between the rooms of mix: its folders, and each file of its root. Type imports and dynamic ones are counted. */
function roomArrows(imports: readonly Import[]): Import[] {
  return imports.filter(({ file, target }) => target.startsWith("mix/") && roomOf(file) !== roomOf(target));
}

function roomOf(path: string): string {
  return path.split("/")[1] ?? "";
}

/** The imports that keep rooms in a circle; without a circle there are none. */
function importsInCircle(imports: readonly Import[]): string[] {
  const leading = new Set(imports.map(({ file }) => roomOf(file)));
  const reached = new Set(imports.map(({ target }) => roomOf(target)));
  const left = imports.filter(({ file, target }) => reached.has(roomOf(file)) && leading.has(roomOf(target)));
  if (left.length < imports.length) return importsInCircle(left);
  return left.map(({ file, target }) => `${file} -> ${target}`);
}

const arrowsOfMix = roomArrows(sources("mix").flatMap(importsOf));

test("no rooms of mix import each other, not even types, and not by way of others", () => {
  expect(arrowsOfMix.length).toBeGreaterThan(200);
  expect(importsInCircle(arrowsOfMix)).toEqual([]);
});

test.each([
  ["mix/process/bad.ts", 'import type { Verb } from "../input/verb.ts";'],
  ["mix/bus/bad.ts", 'import { watchSession } from "../watch/watch-session.ts";'],
  ["mix/entries/bad.ts", 'import type { AskedEntry } from "../questions/open-questions.ts";'],
  ["mix/questions/bad.ts", 'import { tableLines } from "../view/table.ts";'],
  ["mix/daemon/bad.ts", 'const found = await import("../connect/find-bus.ts");'],
  ["mix/watch/bad.ts", 'export { agentVerbs } from "../verbs/table.ts";'],
])("a circle of rooms is found: %s with %s", (file, text) => {
  const found = importsInCircle([...arrowsOfMix, ...roomArrows(importsIn(file, text))]);
  expect(found.some((one) => one.startsWith(`${file} -> `))).toBe(true);
});

test.each([
  ["json/bad.ts", "../bus-client/index.ts"],
  ["json/bad.ts", "../display/printable.ts"],
  ["files/bad.ts", "../json/raw-json.ts"],
  ["bus-client/bad.ts", "../agentd/vocabulary/index.ts"],
  ["bus-client/deep/bad.ts", "../../acp-client/client.ts"],
  ["acp-client/bad.ts", "../bus-client/index.ts"],
  ["display/bad.ts", "../mix/process/context.ts"],
  ["bus-client/bad.ts", "../display/printable.ts"],
  ["agentd/bad.ts", "../mix/main.ts"],
  ["agentd/vocabulary/bad.ts", "../log/open.ts"],
  ["agentd/vocabulary/bad.ts", "../../files/in-place.ts"],
  ["mix/bad.ts", "../agentd/daemon.ts"],
  ["mix/bad.ts", "../agentd/authority/model.ts"],
  ["mix/bad.ts", "../agentd/vocabulary/index.ts"],
  ["mix/verbs/bad.ts", "../../acp-client/client.ts"],
  ["mix/verbs/bad.ts", "../../notifyd/asks.ts"],
  ["notifyd/bad.ts", "../agentd/instance/lock.ts"],
  ["notifyd/bad.ts", "../agentd/authority/model.ts"],
  ["notifyd/desktop/bad.ts", "../../mix/view/printable.ts"],
  ["agentd/people/bad.ts", "../../notifyd/asks.ts"],
  ["mixos-mcp/bad.ts", "../agentd/vocabulary/index.ts"],
  ["mixos-mcp/tools/bad.ts", "../../mix/main.ts"],
])("the linter refuses that %s imports %s", (file, target) => {
  const result = lint(file, `import * as bad from "${target}";\nexport const seen = bad;\n`);
  expect(result.stdout).toContain("no-restricted-imports");
  expect(result.status).not.toBe(0);
});

test.each([
  ["mix/good.ts", 'import type { Entry } from "../agentd/vocabulary/index.ts";\nexport type Seen = Entry;\n'],
  [
    "notifyd/good.ts",
    'import { notifyService } from "../agentd/vocabulary/index.ts";\nexport const seen = notifyService;\n',
  ],
  ["agentd/vocabulary/good.ts", 'import { numberOf } from "../../json/raw-json.ts";\nexport const seen = numberOf;\n'],
  ["agentd/good.ts", 'import { parse } from "../bus-client/index.ts";\nexport const seen = parse;\n'],
])("the linter takes the allowed import of %s", (file, text) => {
  expect(lint(file, text).stdout).not.toContain("no-restricted-imports");
});

function lint(file: string, text: string) {
  const home = mkdtempSync(join(scratch, "project-"));
  cpSync(join(root, ".oxlintrc.json"), join(home, ".oxlintrc.json"));
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), text);
  return spawnSync(join(root, "node_modules/.bin/oxlint"), ["--deny-warnings", file], { cwd: home, encoding: "utf8" });
}
