// SPDX-License-Identifier: MIT OR Apache-2.0
// docs/configuration.md agrees with the schema.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { parseSettings } from "./schema.ts";
import { defaultSettings } from "./settings.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/configuration.md", import.meta.url)), "utf8");
const [defaults = "", example = ""] = Array.from(page.matchAll(/```toml\n([^]*?)```/g), ([, block]) => block);
const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");
const inReadme = /```toml\n([^]*?)```/.exec(readme)?.[1] ?? "";

/** The keys listed in the message about an unknown key. */
function keysAt(document: object): string[] {
  const parsed = parseSettings(document, "/home/ann");
  if (parsed.ok) throw new Error("the mistyped key was taken");
  const { reason } = parsed.faults.find(({ path }) => path.at(-1) === mistyped)!;
  return reason.split("known are ")[1]!.split(", ");
}

const mistyped = "zzzzzzzzzz";

test("the table has every key, in the schema's order, and so has the block of defaults but for roots", () => {
  const keys = keysAt({ [mistyped]: 1 });
  expect(Array.from(page.matchAll(/^\| `(\w+)` \|/gm), ([, key]) => key)).toEqual(keys);
  expect(["roots", ...Object.keys(parse(defaults))]).toEqual(keys);
});

test("the block of defaults equals the settings without a file", () => {
  expect(parseSettings(parse(defaults), "/home/ann")).toEqual({ ok: true, settings: defaultSettings, warnings: [] });
});

test("the example has every key of an agent, a policy and a rule, and is valid", () => {
  expect(parseSettings(parse(example), "/home/ann")).toMatchObject({ ok: true, warnings: [] });
  const { agents, policies } = parse(example) as {
    agents: { mine: { quirks: object } };
    policies: { reading: { allow_once: [object] } };
  };
  const { reading } = policies;
  expect(Object.keys(agents.mine)).toEqual(keysAt({ agents: { mine: { ...agents.mine, [mistyped]: 1 } } }));
  const mistypedQuirk = { ...agents.mine, quirks: { ...agents.mine.quirks, [mistyped]: 1 } };
  expect(Object.keys(agents.mine.quirks)).toEqual(keysAt({ agents: { mine: mistypedQuirk } }));
  expect(Object.keys(reading)).toEqual(keysAt({ policies: { reading: { ...reading, [mistyped]: 1 } } }));
  const rule = { ...reading.allow_once[0], [mistyped]: 1 };
  expect(Object.keys(reading.allow_once[0])).toEqual(keysAt({ policies: { reading: { allow_once: [rule] } } }));
});

test("the README's file is valid, too", () => {
  expect(parseSettings(parse(inReadme), "/home/ann")).toMatchObject({ ok: true, warnings: [] });
});
