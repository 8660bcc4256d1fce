// SPDX-License-Identifier: MIT OR Apache-2.0
// What agents can do, as far as it is known before one is started: from its last answer to initialize, or from its file
// in `agents/`. A start that its agent would refuse is refused at once then.
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { AgentCapabilities, AgentIdentity } from "../../acp-client/model.ts";
import { attempt } from "../../files/attempt.ts";
import { packageOf } from "../../files/installed-build.ts";
import type { AgentDefinition } from "./agents/definition.ts";
import { publishedAgents } from "./built-in.ts";

export interface KnownOfAgent {
  /** False only if the agent is known not to have the capability. */
  readonly offers: (capability: keyof AgentCapabilities) => boolean;
  /** For people: how it is known. */
  readonly source: string;
}

type AgentCommand = AgentDefinition["command"];

/** Maximum number of programs that are remembered. A start may name programs that the catalogue does not have. */
const programsMax = 256;

export class KnownCapabilities {
  readonly #answers = new Map<string, AgentIdentity>();

  /** `file`: the program that was started. */
  learn(command: AgentCommand, file: string, identity: AgentIdentity): void {
    const key = programKey(command, file);
    this.#answers.delete(key);
    this.#answers.set(key, identity);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > programsMax && oldest !== undefined) this.#answers.delete(oldest);
  }

  /** Returns undefined if nothing is known, or if the program has changed since it was. */
  of(
    { command, ownFile, lacks: ownLacks }: Pick<AgentDefinition, "command" | "ownFile" | "lacks">,
    file: string,
  ): KnownOfAgent | undefined {
    const answer = this.#answers.get(programKey(command, file));
    if (answer !== undefined) {
      const { info, capabilities } = answer;
      const version = info === null ? "" : ` with version ${info.version}`;
      return { offers: (capability) => capabilities[capability], source: `it said so at its last start${version}` };
    }
    const published = publishedAgents.find((agent) => isLookedAt(agent, file));
    const lacks = ownFile === undefined ? published?.lacks : ownLacks;
    if (lacks === undefined) return undefined;
    const { capabilities, version } = lacks;
    return { offers: (capability) => !capabilities.includes(capability), source: `seen with version ${version}` };
  }
}

/** Whether a program is of the agent's package, in the version of which the catalogue speaks, by whatever name it runs. */
function isLookedAt({ npmPackage, lacks }: AgentDefinition, file: string): boolean {
  if (npmPackage === undefined || lacks === undefined) return false;
  return packageOf(file, npmPackage)?.version === lacks.version;
}

/** Changes when the program, or a script in its arguments, is replaced. */
function programKey([, ...args]: AgentCommand, file: string): string {
  const changed = [file, ...args].map((word) => (isAbsolute(word) ? attempt(() => versionOf(word)) : undefined));
  return JSON.stringify([file, args, changed]);
}

/** The time alone would miss a replacement within one tick of the file system's clock. */
function versionOf(file: string): readonly number[] {
  const { ctimeMs, ino, size } = statSync(file);
  return [ctimeMs, ino, size];
}
