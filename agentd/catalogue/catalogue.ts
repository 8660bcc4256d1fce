// SPDX-License-Identifier: MIT OR Apache-2.0
// The catalogue of agents: the built-in ones and the configured ones, which may replace a built-in one.
import { closestWord } from "../../display/closest-word.ts";
import type { AgentSettings } from "../config/settings.ts";
import type { CatalogueEntry } from "../vocabulary/index.ts";
import type { AgentDefinition } from "./agents/definition.ts";
import { findAgent, type FoundAgent } from "./find-program.ts";
import type { ProgramPlaces } from "./program-places.ts";
import { KnownCapabilities, type KnownOfAgent } from "./known-capabilities.ts";
import { type EnvironmentOf, storedLogin } from "./stored-login.ts";

export type Catalogue = ReadonlyMap<string, AgentDefinition>;

/** A configured agent replaces the built-in one of the same name entirely. */
export function buildCatalogue(
  builtIn: readonly AgentDefinition[],
  configured: ReadonlyMap<string, AgentSettings>,
): Catalogue {
  const catalogue = new Map<string, AgentDefinition>(builtIn.map((agent) => [agent.name, agent]));
  for (const [name, agent] of configured) {
    catalogue.set(name, { ...agent, name, title: name, builtIn: false, install: undefined });
  }
  return catalogue;
}

/** `command`: of a session whose agent is not in the catalogue. */
export function definitionOf(
  catalogue: Catalogue,
  { agent, command }: { readonly agent: string; readonly command?: AgentCommand | undefined },
): AgentDefinition | undefined {
  if (command === undefined) return catalogue.get(agent);
  const settings = { command, env: {}, unset: [], protocol: 1 } as const;
  return { ...settings, name: agent, title: agent, builtIn: false, install: undefined };
}

export type AgentCommand = AgentSettings["command"];

export interface EntryFacts {
  readonly environmentOf: EnvironmentOf;
  /** What agents were seen to offer; by default nothing but what the catalogue says. */
  readonly known?: KnownCapabilities;
}

/** Looks every agent up, and its stored login, without starting it. */
export function catalogueEntries(
  catalogue: Catalogue,
  places: ProgramPlaces,
  facts: EntryFacts,
): readonly CatalogueEntry[] {
  const npmBin = places.npmBin();
  const once = { ...places, npmBin: () => npmBin };
  return [...catalogue.values()].map((agent) => entryOf(agent, once, facts));
}

export function unknownAgentMessage(name: string, catalogue: Catalogue): string {
  const known = [...catalogue.keys()];
  const meant = closestWord(name, known);
  const advice = meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
  return `there is no agent ${JSON.stringify(name.slice(0, 64))}; ${advice}`;
}

function entryOf(
  agent: AgentDefinition,
  places: ProgramPlaces,
  { environmentOf, known = new KnownCapabilities() }: EntryFacts,
): CatalogueEntry {
  const found = findAgent(agent, places);
  const entry = { agent: agent.name, title: agent.title, command: agent.command, built_in: agent.builtIn };
  const login = {
    ...(agent.login === undefined ? {} : { login: agent.login }),
    ...(agent.keyVariables === undefined ? {} : { key_variables: agent.keyVariables }),
  };
  const install = agent.install === undefined ? {} : { install: agent.install };
  if (found.status !== "installed") {
    return { ...entry, installed: false, problem: found.message, ...install, ...login };
  }
  const version = agent.version ?? found.version;
  return {
    ...entry,
    installed: true,
    file: found.file,
    ...(found.from === undefined ? {} : { from: found.from }),
    ...(version === undefined ? {} : { version }),
    ...lacksOf(known.of(agent, found.file)),
    ...(found.nodeTooOld === undefined ? {} : { warning: nodeWarning(found.nodeTooOld), ...install }),
    ...login,
    ...storedLogin(agent, found.file, { environmentOf, home: places.home }),
  };
}

function lacksOf(known: KnownOfAgent | undefined): Pick<CatalogueEntry, "lacks"> {
  if (known === undefined) return {};
  return { lacks: intakes.flatMap(([intake, capability]) => (known.offers(capability) ? [] : [intake])) };
}

const intakes = [
  ["image", "promptImage"],
  ["audio", "promptAudio"],
  ["embedded_context", "promptEmbeddedContext"],
  ["mcp_http", "mcpHttp"],
  ["mcp_sse", "mcpSse"],
  ["additional_dirs", "additionalDirectories"],
] as const;

export function nodeWarning({ needed, version }: NonNullable<FoundAgent["nodeTooOld"]>): string {
  return `it needs Node ${needed} or newer, and there is ${version}`;
}
