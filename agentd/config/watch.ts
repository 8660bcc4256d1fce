// SPDX-License-Identifier: MIT OR Apache-2.0
// Applies edits of the instance's file while agentd runs: a good one at once, a bad one not at all.
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { watch } from "chokidar";
import { makeDirectories } from "../../files/make-directories.ts";
import { type ConfigProblem, type ConfigSource, type LoadedConfig, loadConfig } from "./load.ts";
import type { Settings } from "./settings.ts";

export interface ConfigWatchOptions extends ConfigSource {
  /** Quiet time after a change before the file is read: editors write in bursts and by renaming. */
  readonly settleMs: number;
  /** What agentd started with. */
  readonly current: LoadedConfig;
  onSettings(settings: Settings, warnings: readonly ConfigProblem[]): void;
  /** The edit has no effect: what held before goes on holding. */
  onRefused(problems: readonly [ConfigProblem, ...ConfigProblem[]]): void;
}

export interface ConfigWatch {
  /** Changes made from then on are seen; one made since `current` was read is seen too. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/**
 * Watches the file's directory (made if it is missing), since an editor that saves by renaming replaces the file
 * itself; and the directory that a link leads to, where people keep such files together. A file that goes away changes
 * nothing: an editor between two steps, or a mishap, must not open up what the file had closed.
 */
export function watchConfig(options: ConfigWatchOptions): ConfigWatch {
  let applied = fingerprintOf(options.current);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let target = options.file;

  const watcher = watch([], {
    depth: 0,
    ignoreInitial: true,
    ignored: (path) => !isWatched(path, [options.file, target]),
  });
  watcher.on("all", () => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(readAgain, options.settleMs);
  });
  watcher.on("error", (cause) => {
    const reason = `can no longer be watched (${String(cause)}); restart agentd to apply edits`;
    options.onRefused([{ file: options.file, line: null, reason }]);
  });

  function readAgain(): void {
    followTarget();
    const loaded = loadConfig(options);
    const state = fingerprintOf(loaded);
    if (state === applied) return;
    applied = state;
    if (!loaded.ok) options.onRefused(loaded.problems);
    else if (loaded.text === undefined) options.onRefused([missingProblem(options.file)]);
    else options.onSettings(loaded.settings, loaded.warnings);
  }

  function followTarget(): void {
    const next = targetOf(options.file);
    if (next === target) return;
    target = next;
    watcher.add(dirname(target));
  }

  const ready = new Promise<void>((resolve) => {
    watcher.once("ready", () => {
      if (!closed) readAgain();
      resolve();
    });
  });
  makeDirectory(dirname(options.file));
  target = targetOf(options.file);
  watcher.add([...new Set([dirname(options.file), dirname(target)])]);

  return {
    ready,
    async close() {
      closed = true;
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

/** The same text refused for another reason (its mode, say) is another state; the same text read twice is not. */
function fingerprintOf(loaded: LoadedConfig): string {
  return JSON.stringify([loaded.text ?? null, loaded.ok || loaded.problems.map(({ reason }) => reason)]);
}

function missingProblem(file: string): ConfigProblem {
  return { file, line: null, reason: "is gone; what it said holds until agentd starts again" };
}

function isWatched(path: string, files: readonly string[]): boolean {
  return files.some((file) => path === file || path === dirname(file));
}

function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Where it cannot be made there is nothing to edit either. */
function makeDirectory(directory: string): void {
  try {
    makeDirectories(directory);
  } catch {
    // A read-only home: agentd runs with its defaults.
  }
}
