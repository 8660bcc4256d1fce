// SPDX-License-Identifier: MIT OR Apache-2.0
// What `agentd --install` and its like print: lines of JSON, of which the last is `done` or `failed`. They change the
// user's installed agents and configuration, so nobody can ask for them over the Bus.

export type CatalogueEvent =
  | {
      readonly event: "progress";
      /** What is being installed. */
      readonly name: string;
      readonly version: string;
      /** Packages that were downloaded or taken from npm's cache so far. */
      readonly packages: number;
      readonly elapsed_ms: number;
    }
  | ({ readonly event: "done" } & CatalogueChange)
  | { readonly event: "failed"; readonly code: CatalogueErrorCode; readonly message: string };

export interface CatalogueChange {
  readonly agent: string;
  readonly added?: AddedToConfiguration;
  /** The agents of a registry; `agent` is then empty. */
  readonly registry?: { readonly agents: readonly RegistryAgent[]; readonly skipped: number };
  readonly installed?: InstalledAgent;
  /** The versions that were removed; empty if none was installed. */
  readonly removed?: readonly string[];
}

export interface AddedToConfiguration {
  /** The configuration file. */
  readonly file: string;
  readonly command: readonly string[];
  /** Why its program could not be started now. */
  readonly problem?: string;
}

/** An agent of a registry in the format of the public ACP registry. */
export interface RegistryAgent {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Absent if the registry has it only as a file to download, which agentd does not. */
  readonly command?: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

export interface InstalledAgent {
  readonly version: string;
  readonly directory: string;
  /** It was installed before, and nothing was done. */
  readonly was_there: boolean;
  /** The Node that was installed for it. */
  readonly node?: string;
  /** The program that a start of the agent runs now, which may be another one that is found first. */
  readonly file: string;
  readonly from: "path" | "npm" | "agentd";
  /** What may keep it from working. */
  readonly warning?: string;
}

export type CatalogueErrorCode =
  | "AGENT_UNKNOWN"
  | "NOT_INSTALLABLE"
  | "INSTALL_BUSY"
  | "INSTALL_REFUSED"
  | "INSTALL_NO_NPM"
  | "INSTALL_NETWORK"
  | "INSTALL_NO_SPACE"
  | "INSTALL_FAILED"
  | "REGISTRY_REFUSED"
  | "AGENT_EXISTS"
  | "CONFIG_REFUSED"
  | "CANCELLED"
  | "USAGE"
  | "FAILED";
