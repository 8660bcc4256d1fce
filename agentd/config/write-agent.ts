// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { changeText } from "../../files/change-text.ts";
import { makeDirectories } from "../../files/make-directories.ts";
import { type AddedAgent, textWithAgent } from "./add-agent.ts";
import { type ConfigSource, describeProblem, loadConfig } from "./load.ts";
import type { Settings } from "./settings.ts";

export type WrittenAgent =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly reason: string };

/**
 * Writes an agent into the configuration file, which is created with mode 0600 if it is missing. A file that agentd would
 * refuse is left as it is, and so is one that somebody changes meanwhile. A link stays, and its target is replaced.
 */
export function writeAgent(source: ConfigSource, added: AddedAgent): WrittenAgent {
  const loaded = loadConfig(source);
  if (!loaded.ok) return refused(loaded.problems.map(describeProblem).join("\n"));
  const byHand = `${source.file}: write [agents.${added.name}] into it yourself`;
  try {
    if (loaded.text === undefined) makeDirectories(dirname(source.file));
    // With the byte order mark that loading drops.
    const text = loaded.text === undefined ? "" : readFileSync(source.file, "utf8");
    const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
    const changed = textWithAgent(text.slice(mark.length), added);
    if (changed === undefined) return refused(`${byHand}: it is in a form that is not changed by a program`);
    if (Buffer.byteLength(mark + changed) > source.bytesMax) {
      return refused(`${source.file} would be larger than ${source.bytesMax} bytes`);
    }
    changeText(source.file, text, mark + changed);
  } catch (error) {
    return refused(`${byHand}: ${(error as Error).message}`);
  }
  const written = loadConfig(source);
  return written.ok
    ? { ok: true, settings: written.settings }
    : refused(written.problems.map(describeProblem).join("\n"));
}

function refused(reason: string): WrittenAgent {
  return { ok: false, reason };
}
