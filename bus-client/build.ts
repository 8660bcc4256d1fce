// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Provenance } from "./registration.ts";

/** Which program it is, for people and for comparison: two builds of one version differ in `build`. */
export interface Build {
  readonly version: string;
  /** Of the built package; what runs from its source has none. */
  readonly build?: string | undefined;
}

/** What a program of this package says of itself when it registers. */
export function provenanceOf(binary: string, { version, build }: Build, startedAt: string): Provenance {
  const meta = build === undefined ? {} : { meta: { build } };
  return { binary, version, pid: process.pid, started_at: startedAt, ...meta };
}

/** What runs from its source has no build, and is compared by its version alone. */
export function isSameBuild(one: Build, other: Build): boolean {
  if (one.version !== other.version) return false;
  return one.build === undefined || other.build === undefined || one.build === other.build;
}

export function buildWords({ version, build }: Build): string {
  return build === undefined ? version : `${version} (build ${build})`;
}
