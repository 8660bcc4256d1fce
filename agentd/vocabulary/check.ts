// SPDX-License-Identifier: MIT OR Apache-2.0
// What `agentd --check` prints: one line of JSON about the installation, without starting a daemon or changing a file.
import type { CatalogueEntry } from "./replies.ts";

export interface CheckReport {
  readonly version: string;
  readonly build?: string | undefined;
  /** Why the paths below cannot be found; everything else is then absent. */
  readonly problem?: string;
  readonly state?: { readonly directory: string; readonly problem?: string };
  /** `bytes` is null before the first start. */
  readonly log?: { readonly file: string; readonly bytes: number | null; readonly problem?: string };
  readonly config?: {
    readonly file: string;
    readonly loaded: boolean;
    readonly problems: readonly string[];
    readonly warnings: readonly string[];
  };
  readonly agents?: readonly CatalogueEntry[];
}
