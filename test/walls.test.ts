// SPDX-License-Identifier: MIT OR Apache-2.0
// The linter holds the walls between the folders; this holds the linter.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

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
  "acp-face/agent-side": ["acp-client", "json"],
  "acp-face/mapping": ["acp-face/agent-side", "acp-client", "agent-client", "agentd/vocabulary", "json"],
  "acp-face": [
    "acp-face/agent-side",
    "acp-face/mapping",
    "agent-client",
    "bus-client",
    "acp-client",
    "json",
    "agentd/vocabulary",
  ],
  "agentd/demo-agent": ["acp-face/agent-side", "acp-client", "json"],
  agentd: ["bus-client", "acp-client", "display", "files", "json", "agentd/vocabulary"],
  "agent-client": ["bus-client", "json", "agentd/vocabulary"],
  mix: [
    "agent-client",
    "bus-client",
    "display",
    "files",
    "json",
    "agentd/vocabulary",
    "acp-face",
    "acp-face/agent-side",
  ],
  notifyd: ["bus-client", "display", "files", "json", "agentd/vocabulary"],
  "mixos-mcp": ["agent-client", "bus-client", "display", "files", "json"],
};

const topFolders = "json files bus-client acp-client acp-face display agentd agent-client mix mixos-mcp notifyd".split(
  " ",
);

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
  const own = specifiersIn(text).filter(({ specifier }) => specifier.startsWith("."));
  return own.map(({ specifier, typeOnly }) => {
    const target = targetOf(file, specifier);
    return { file, from: folderOf(file), to: folderOf(target), target, typeOnly };
  });
}

function targetOf(file: string, specifier: string): string {
  return relative(root, resolve(join(root, dirname(file)), specifier));
}

function specifiersIn(text: string): { readonly specifier: string; readonly typeOnly: boolean }[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;"']*?from\s+"([^"]+)"|(?:^|\n)\s*import\s+"([^"]+)"|import\("([^"]+)"\)/g;
  return [...text.matchAll(pattern)].map((match) => ({
    specifier: match[2] ?? match[3] ?? match[4] ?? "",
    typeOnly: match[1] !== undefined,
  }));
}

function typescriptIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`);
}

function sources(folder: string): string[] {
  return typescriptIn(folder).filter((name) => !name.endsWith(".test.ts") && !name.includes("testing/"));
}

test("no folder imports another that it may not, and the imports were really seen", () => {
  const imports = topFolders.flatMap(sources).flatMap(importsOf);
  expect(imports.length).toBeGreaterThan(300);
  const crossing = imports.filter(({ from, to }) => from !== to);
  expect(crossing.length).toBeGreaterThan(40);
  expect(crossing.filter(({ from, to }) => !mayImport[from]?.includes(to))).toEqual([]);
});

test("nothing but the display writes to the outputs of a process", () => {
  const writes = /\bprocess\.(stdout|stderr)\b|\bprocess\[|\bconsole\.|\b(stdout|stderr)\b[^{}\n]*\} = process\b/;
  const files = topFolders.flatMap(sources);
  expect(files.filter((file) => writes.test(readFileSync(join(root, file), "utf8"))).toSorted()).toEqual([
    // Their stdout is a protocol's.
    "acp-face/agent-side/stdio.ts",
    "display/process-output.ts",
    "mixos-mcp/main.ts",
  ]);
});

test("only the tests and the display look into styled text", () => {
  const readers = ["mix", "mixos-mcp", "notifyd", "agentd"].flatMap(sources).filter((file) => {
    return /\brendered\b/.test(readFileSync(join(root, file), "utf8"));
  });
  // It asks whether there is any.
  expect(readers).toEqual(["mix/view/live-view.ts"]);
});

test("of the vocabulary, the command line loads the entries and the usage alone, which load nothing else", () => {
  const values = ["mix", "agent-client", "acp-face"]
    .flatMap(sources)
    .flatMap(importsOf)
    .filter(({ to, typeOnly }) => to === "agentd/vocabulary" && !typeOnly);
  const loadable = ["agentd/vocabulary/entries.ts", "agentd/vocabulary/usage.ts"];
  expect([...new Set(values.map(({ target }) => target))].toSorted()).toEqual(loadable);
  for (const file of loadable) expect([...loadedBy(file)]).toEqual([file]);
});

/** Imports between the rooms of mix: its folders, and each file of its root. Type imports and dynamic ones are counted. */
function roomArrows(imports: readonly Import[]): Import[] {
  return imports.filter(({ file, target }) => target.startsWith("mix/") && roomOf(file) !== roomOf(target));
}

function roomOf(path: string): string {
  return path.split("/")[1] ?? "";
}

/** The imports that keep rooms in a circle, or other places; without a circle there are none. */
function importsInCircle(imports: readonly Import[], placeOf: (path: string) => string = roomOf): string[] {
  const leading = new Set(imports.map(({ file }) => placeOf(file)));
  const reached = new Set(imports.map(({ target }) => placeOf(target)));
  const left = imports.filter(({ file, target }) => reached.has(placeOf(file)) && leading.has(placeOf(target)));
  if (left.length < imports.length) return importsInCircle(left, placeOf);
  return left.map(({ file, target }) => `${file} -> ${target}`);
}

const arrowsOfMix = roomArrows(sources("mix").flatMap(importsOf));

test("no rooms of mix import each other, not even types, and not by way of others", () => {
  expect(arrowsOfMix.length).toBeGreaterThan(200);
  expect(importsInCircle(arrowsOfMix)).toEqual([]);
});

test.each([
  ["mix/process/bad.ts", 'import type { Verb } from "../input/verb.ts";'],
  ["mix/input/bad.ts", 'import { watchSession } from "../watch/watch-session.ts";'],
  ["mix/process/bad.ts", 'import type { Option } from "../questions/chosen-option.ts";'],
  ["mix/questions/bad.ts", 'import { formatTable } from "../view/table.ts";'],
  ["mix/daemon/bad.ts", 'const found = await import("../connect/find-bus.ts");'],
  ["mix/watch/bad.ts", 'export { agentVerbs } from "../verbs/table.ts";'],
])("a circle of rooms is found: %s with %s", (file, text) => {
  const found = importsInCircle([...arrowsOfMix, ...roomArrows(importsIn(file, text))]);
  expect(found.some((one) => one.startsWith(`${file} -> `))).toBe(true);
});

const itself = (path: string): string => path;
const allImports = [...topFolders, "test", "bench", "scripts"].flatMap(typescriptIn).flatMap(importsOf);

test("no files import each other in a circle, types and tests included", () => {
  expect(allImports.length).toBeGreaterThan(2000);
  expect(importsInCircle(allImports, itself)).toEqual([]);
});

test.each([
  ["json/record.ts", 'import type { RpcError } from "../acp-client/jsonrpc/message.ts";'],
  ["agentd/session/core/state.ts", 'import type { Effect } from "./input.ts";'],
  ["agentd/session/core/input.ts", 'export type { Draft } from "./draft.ts";'],
  ["acp-client/agent-events.ts", 'const client = await import("./client.ts");'],
])("a circle of files is found: %s with %s", (file, text) => {
  const found = importsInCircle([...allImports, ...importsIn(file, text)], itself);
  expect(found.some((one) => one.startsWith(`${file} -> `))).toBe(true);
});

type Read = (file: string) => string;
const readSource: Read = (file) => readFileSync(join(root, file), "utf8");

/** What a file loads, and what that loads: files of ours, packages, and modules of Node's. */
function loadedBy(file: string, read: Read = readSource, loaded: Set<string> = new Set()): ReadonlySet<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const { specifier, typeOnly } of specifiersIn(read(file))) {
    if (typeOnly) continue;
    if (specifier.startsWith(".")) loadedBy(targetOf(file, specifier), read, loaded);
    else loaded.add(specifier);
  }
  return loaded;
}

const foreign = (loaded: ReadonlySet<string>): string[] => [...loaded].filter((name) => !name.endsWith(".ts"));
const step = "agentd/session/core/step.ts";

test("what decides in a session loads no package and nothing of Node's", () => {
  const loaded = loadedBy(step);
  expect(loaded.size).toBeGreaterThan(35);
  expect(foreign(loaded)).toEqual([]);
});

test.each([
  ["agentd/session/core/bounded-fields.ts", 'import { readFileSync } from "node:fs";', "node:fs"],
  ["agentd/authority/sender.ts", 'export * from "../vocabulary/verbs.ts";', "zod"],
  ["json/raw-json.ts", 'import "node:crypto";', "node:crypto"],
])("it is found when %s has %s", (file, line, name) => {
  const found = loadedBy(step, (each) => (each === file ? `${line}\n${readSource(each)}` : readSource(each)));
  expect(foreign(found)).toContain(name);
});

test("the view of a session loads no package and nothing of Node's", () => {
  const loaded = loadedBy("agent-client/view/session-view.ts");
  expect(loaded.size).toBeGreaterThan(5);
  expect(foreign(loaded)).toEqual([]);
});

test("mix loads what draws a session only for the verbs that show one", () => {
  // Without what is imported when it is needed.
  const loaded = loadedBy("mix/main.ts", (file) => readSource(file).replaceAll("import(", "later("));
  expect(loaded).toContain("mix/verbs/ls.ts");
  expect([...loaded].filter((file) => /^mix\/view\/(live-view|transcript|markdown)/.test(file))).toEqual([]);
});

test("what decides in a session looks at no clock and draws no lots", () => {
  const core = [...loadedBy(step)].filter((file) => file.startsWith("agentd/session/core/"));
  const impure = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bglobalThis\b/;
  expect(core.filter((file) => impure.test(readSource(file)))).toEqual([]);
});

const refusedImports: [file: string, target: string][] = [
  ["json/bad.ts", "../bus-client/index.ts"],
  ["json/bad.ts", "../display/printable.ts"],
  ["files/bad.ts", "../json/raw-json.ts"],
  ["bus-client/bad.ts", "../agentd/vocabulary/index.ts"],
  ["bus-client/deep/bad.ts", "../../acp-client/client.ts"],
  ["acp-client/bad.ts", "../bus-client/index.ts"],
  ["acp-client/bad.ts", "../acp-face/agent-side/connection.ts"],
  ["acp-face/agent-side/bad.ts", "../../bus-client/index.ts"],
  ["acp-face/bad.ts", "../mix/process/context.ts"],
  ["acp-face/bad.ts", "../agentd/vocabulary/verbs.ts"],
  ["acp-face/bad.ts", "../acp-client/client.ts"],
  ["acp-face/session/bad.ts", "../../agentd/session/mailbox/mailbox.ts"],
  ["acp-face/session/bad.ts", "../../display/printable.ts"],
  ["mix/verbs/bad.ts", "../../acp-face/face.ts"],
  ["acp-face/agent-side/bad.ts", "../../acp-client/client.ts"],
  ["acp-face/agent-side/bad.ts", "../../acp-client/process/start-agent-process.ts"],
  ["acp-face/mapping/bad.ts", "node:fs"],
  ["acp-face/mapping/bad.ts", "../../bus-client/index.ts"],
  ["acp-face/mapping/bad.ts", "../../agent-client/requests/ask.ts"],
  ["acp-face/mapping/bad.ts", "../../agentd/session/transcript.ts"],
  ["acp-face/mapping/bad.ts", "../../acp-client/client.ts"],
  ["acp-face/mapping/bad.ts", "../../agentd/vocabulary/verbs.ts"],
  ["agentd/demo-agent/bad.ts", "../daemon.ts"],
  ["agentd/demo-agent/demo/bad.ts", "../../vocabulary/index.ts"],
  ["agentd/demo-agent/demo/bad.ts", "../../../bus-client/index.ts"],
  ["agentd/bad.ts", "../acp-face/agent-side/connection.ts"],
  ["display/bad.ts", "../mix/process/context.ts"],
  ["bus-client/bad.ts", "../display/printable.ts"],
  ["agentd/bad.ts", "../mix/main.ts"],
  ["agentd/vocabulary/bad.ts", "../log/open.ts"],
  ["agentd/vocabulary/bad.ts", "../../files/tracked-files.ts"],
  ["agentd/session/core/bad.ts", "node:fs"],
  ["agentd/session/core/bad.ts", "zod"],
  ["agentd/session/core/bad.ts", "../mailbox/mailbox.ts"],
  ["agentd/session/core/bad.ts", "../../vocabulary/index.ts"],
  ["agentd/session/core/bad.ts", "../../vocabulary/verbs.ts"],
  ["agentd/session/core/bad.ts", "../../../acp-client/prompt-blocks.ts"],
  ["agentd/session/core/requests/bad.ts", "node:path"],
  ["agentd/session/core/requests/bad.ts", "../../from-log.ts"],
  ["agentd/session/core/requests/bad.ts", "../../../people/policy-evidence.ts"],
  ["agentd/session/core/requests/bad.ts", "../../../vocabulary/verbs.ts"],
  ["agent-client/bad.ts", "../mix/process/mix-error.ts"],
  ["agent-client/bad.ts", "../display/printable.ts"],
  ["agent-client/requests/bad.ts", "../../agentd/vocabulary/verbs.ts"],
  ["agent-client/requests/bad.ts", "../../agentd/session/mailbox/mailbox.ts"],
  ["agent-client/view/bad.ts", "../requests/ask.ts"],
  ["agent-client/view/bad.ts", "../../bus-client/index.ts"],
  ["agent-client/view/bad.ts", "../../agentd/vocabulary/index.ts"],
  ["agent-client/view/bad.ts", "node:crypto"],
  ["agentd/bad.ts", "../agent-client/agent-error.ts"],
  ["bus-client/bad.ts", "../agent-client/agent-error.ts"],
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
];

const allowedImports: [file: string, text: string][] = [
  ["mix/good.ts", 'import type { Entry } from "../agentd/vocabulary/index.ts";\nexport type Seen = Entry;\n'],
  ["mix/good.ts", 'export { topic } from "../agentd/vocabulary/entries.ts";\n'],
  [
    "agent-client/view/good.ts",
    'import type { Verb } from "../../agentd/vocabulary/verbs.ts";\nexport { topic } from "../../agentd/vocabulary/entries.ts";\nexport type Seen = Verb;\n',
  ],
  [
    "notifyd/good.ts",
    'import { notifyService } from "../agentd/vocabulary/index.ts";\nexport const seen = notifyService;\n',
  ],
  ["agentd/vocabulary/good.ts", 'import { numberOf } from "../../json/raw-json.ts";\nexport const seen = numberOf;\n'],
  [
    "agentd/session/core/good.ts",
    'import type { Verb } from "../../vocabulary/verbs.ts";\nexport { errorBody } from "../../vocabulary/errors.ts";\nexport type Seen = Verb;\n',
  ],
  [
    "agentd/session/core/tools/good.ts",
    'export { Draft } from "../draft.ts";\nexport { isOverdue } from "../requests/pending-requests.ts";\nexport { RawJson } from "../../../../json/raw-json.ts";\n',
  ],
  [
    "acp-face/agent-side/good.ts",
    'export type { McpServer } from "../../acp-client/model.ts";\nexport { Peer } from "../../acp-client/jsonrpc/peer.ts";\n',
  ],
  [
    "acp-face/mapping/good.ts",
    'export { posix } from "node:path";\nexport { topic } from "../../agentd/vocabulary/entries.ts";\nexport { silence } from "../../agent-client/view/silence.ts";\nexport { decode } from "../../acp-client/schema/lenient.ts";\n',
  ],
  [
    "agentd/demo-agent/demo/good.ts",
    'export { Connection } from "../../../acp-face/agent-side/connection.ts";\nexport { isRecord } from "../../../json/record.ts";\n',
  ],
  ["agentd/good.ts", 'import { parse } from "../bus-client/index.ts";\nexport const seen = parse;\n'],
];

/** The rules that a file in this place with this text breaks. */
type Broken = (file: string, text: string) => readonly string[];

/** Runs the linter once over all files, because each run takes a third of a second. */
function lintTogether(files: readonly (readonly [file: string, text: string])[]): Broken {
  const home = mkdtempSync(join(scratch, "project-"));
  cpSync(join(root, ".oxlintrc.json"), join(home, ".oxlintrc.json"));
  // Several files stand in the same place, so each has its number in its name.
  const numbered = (file: string, index: number): string => file.replace(/\.ts$/, `-${index}.ts`);
  for (const [index, [file, text]] of files.entries()) {
    const path = join(home, numbered(file, index));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const args = ["--deny-warnings", "--format", "json"];
  const { stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), args, { cwd: home, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: { filename: string; code: string }[] };
  return (file, text) => {
    const index = files.findIndex((one) => one[0] === file && one[1] === text);
    return diagnostics.filter(({ filename }) => filename === numbered(file, index)).map(({ code }) => code);
  };
}

const badFile = (target: string): string => `import * as bad from "${target}";\nexport const seen = bad;\n`;
let broken: Broken;
beforeAll(() => {
  const refused = refusedImports.map(([file, target]) => [file, badFile(target)] as const);
  broken = lintTogether([...refused, ...allowedImports]);
});

test.each(refusedImports)("the linter refuses that %s imports %s", (file, target) => {
  expect(broken(file, badFile(target))).toContain("eslint(no-restricted-imports)");
});

test.each(allowedImports)("the linter takes the allowed import of %s", (file, text) => {
  expect(broken(file, text)).not.toContain("eslint(no-restricted-imports)");
});
