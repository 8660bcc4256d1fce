// SPDX-License-Identifier: MIT OR Apache-2.0
// Maps entries in tests, and checks every update by the official schema.
import { expect } from "vitest";
import { objections } from "../../../acp-client/testing/official-schema.ts";
import { logged } from "../../../agent-client/testing/entry-samples.ts";
import type { Entry, EntryContent } from "../../../agentd/vocabulary/entries.ts";
import { parseJson, stringifyJson } from "../../../json/raw-json.ts";
import type { SessionUpdate } from "../update.ts";
import { type MapperOptions, UpdateMapper } from "../update-mapper.ts";

export const options: MapperOptions = {
  session: "aaaaaaaaaaaa",
  cwd: "/work",
  additionalDirs: ["/more"],
  booleanOptions: true,
  showsIds: false,
  notices: true,
  compaction: true,
};

/** An entry as it comes over the Bus: with numbers as source text where JavaScript would change them. */
export function entry(content: EntryContent): Entry {
  return parseJson(stringifyJson(logged([content])[0])) as Entry;
}

/** The updates as the editor reads them. Fails for one that the schema refuses. */
export function asRead(updates: readonly SessionUpdate[]): readonly unknown[] {
  const read = updates.map((update) => JSON.parse(stringifyJson(update)) as unknown);
  for (const update of read) expect([update, objections("SessionUpdate", update)]).toEqual([update, []]);
  return read;
}

/** Maps entries of one session as they would arrive. */
export class MappedSession {
  readonly mapper: UpdateMapper;

  constructor(other: Partial<MapperOptions> = {}) {
    this.mapper = new UpdateMapper({ ...options, ...other });
  }

  /** Entries of turns that others have prompted. */
  live(...contents: readonly EntryContent[]): readonly unknown[] {
    return asRead(contents.flatMap((content) => this.mapper.live(entry(content), { isOwnPrompt: false })));
  }

  own(...contents: readonly EntryContent[]): readonly unknown[] {
    return asRead(contents.flatMap((content) => this.mapper.live(entry(content), { isOwnPrompt: true })));
  }

  past(...contents: readonly EntryContent[]): readonly unknown[] {
    return asRead(contents.flatMap((content) => this.mapper.replay(entry(content), { isRunningTurn: false })));
  }

  running(...contents: readonly EntryContent[]): readonly unknown[] {
    return asRead(contents.flatMap((content) => this.mapper.replay(entry(content), { isRunningTurn: true })));
  }
}
