// SPDX-License-Identifier: MIT OR Apache-2.0
// What the editor was last told of a session's options and title, so that it is told only of changes.
import { isDeepStrictEqual } from "node:util";
import type { InfoEntry, OptionsEntry, SessionOption } from "../../agentd/vocabulary/entries.ts";
import { configOptions } from "../agent-side/replies.ts";
import { metaMember } from "./blocks.ts";
import { findByCategory, hasChoice, visibleOptions } from "./options.ts";
import type { SessionUpdate } from "./update.ts";

export class ToldOptions {
  readonly #booleanOptions: boolean;
  /** Undefined: the editor was told of none. */
  #options: readonly SessionOption[] | undefined;

  constructor(booleanOptions: boolean) {
    this.#booleanOptions = booleanOptions;
  }

  told(options: readonly SessionOption[]): void {
    this.#options = options;
  }

  /** Empty for a change to a mode that the agent does not have. */
  updates(entry: OptionsEntry): readonly SessionUpdate[] {
    const { options } = entry;
    const before = this.#options;
    const mode = findByCategory(options, "mode");
    if (isDeepStrictEqual(before, options) || (mode !== undefined && !hasChoice(mode, mode.value))) return [];
    this.#options = options;
    const meta = metaMember(entry);
    const shown = configOptions(visibleOptions(options, { booleanOptions: this.#booleanOptions }));
    const update: SessionUpdate = { sessionUpdate: "config_option_update", configOptions: shown, ...meta };
    if (mode === undefined || findByCategory(before ?? [], "mode")?.value === mode.value) return [update];
    return [{ sessionUpdate: "current_mode_update", currentModeId: mode.value, ...meta }, update];
  }
}

/** The name that people gave the session goes before the agent's title. */
export class ToldTitle {
  #name: string | undefined;
  #title: string | null | undefined;

  /** Returns the updates of a session that has these. */
  begin(name: string | undefined, title: string | undefined): readonly SessionUpdate[] {
    this.#name = name;
    this.#title = title;
    const shown = name ?? title;
    return shown === undefined ? [] : [{ sessionUpdate: "session_info_update", title: shown }];
  }

  updates(entry: InfoEntry): readonly SessionUpdate[] {
    const { name, title, updated_at: updatedAt } = entry;
    const before = this.#name;
    if (name !== undefined) this.#name = name ?? undefined;
    if (title !== undefined) this.#title = title;
    const isNews = this.#name !== before || (title !== undefined && this.#name === undefined);
    const members = {
      ...(isNews ? { title: this.#name ?? this.#title ?? null } : {}),
      ...(updatedAt === undefined ? {} : { updatedAt }),
      ...metaMember(entry),
    };
    return Object.keys(members).length === 0 ? [] : [{ sessionUpdate: "session_info_update", ...members }];
  }
}
