// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { CatalogueEntry } from "../agentd/vocabulary/replies.ts";
import { faceOffer } from "./offer.ts";

const entry = { title: "", command: ["x"], built_in: true, installed: true } as const;
const agents: readonly CatalogueEntry[] = [
  { ...entry, agent: "demo", lacks: ["image", "mcp_http", "additional_dirs"] },
  { ...entry, agent: "claude", lacks: ["audio"] },
  { ...entry, agent: "mine" },
];
const client = {
  readsFiles: false,
  writesFiles: false,
  terminal: false,
  forms: false,
  urls: false,
  booleanOptions: false,
  terminalLogin: false,
  notices: false,
  compaction: false,
  meta: {},
};

test.each([
  ["demo", false],
  ["claude", true],
  ["mine", true],
])("what %s is known not to take is not offered", (agent, takes) => {
  const offer = faceOffer({ version: "1.0.0", client, catalogue: { agents }, agent });
  expect(offer.prompt).toMatchObject({ image: takes, embeddedContext: true });
  expect(offer.mcp).toEqual({ http: takes });
});

test.each([
  ["demo", false],
  ["claude", true],
  // Nothing is known of it.
  ["mine", false],
  [undefined, false],
])("additional directories are offered for %s: %s", (agent, takes) => {
  const offer = faceOffer({ version: "1.0.0", client, catalogue: { agents }, agent });
  expect(offer.additionalDirectories).toBe(takes);
});
