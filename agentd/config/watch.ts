// SPDX-License-Identifier: MIT OR Apache-2.0
// Reloads the configuration file when it changes. An invalid edit has no effect.
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { watch } from "chokidar";
import { attempt } from "../../files/attempt.ts";
import { makeDirectories } from "../../files/make-directories.ts";
import { type ConfigProblem, type ConfigSource, type LoadedConfig, loadConfig } from "./load.ts";
import type { Settings } from "./settings.ts";

export interface ConfigWatchOptions extends ConfigSource {
  /** Debounce time after a change, since editors write several times and rename. */
  readonly settleMs: number;
  /** The configuration that agentd started with. */
  readonly current: LoadedConfig;
  onSettings(settings: Settings, warnings: readonly ConfigProblem[]): void;
  /** Called for an invalid edit; the previous settings stay in force. */
  onRefused(problems: readonly [ConfigProblem, ...ConfigProblem[]]): void;
}

export interface ConfigWatch {
  /** Resolves when the watch is active. Changes since `current` was read are not missed. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/**
 * Watches the file's directory (created if missing), since an editor that saves by renaming replaces the file itself,
 * and the directory of a link's target, for dotfiles repositories. Removing the file changes nothing: neither an editor
 * between two steps nor an accident may allow what the file had forbidden.
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
  // Where no directory can be created, as in a read-only home, there is no file to watch.
  attempt(() => makeDirectories(dirname(options.file)));
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

/** Differs if the text differs or is refused for another reason, such as the file's mode. */
function fingerprintOf(loaded: LoadedConfig): string {
  return JSON.stringify([loaded.text ?? null, loaded.ok || loaded.problems.map(({ reason }) => reason)]);
}

function missingProblem(file: string): ConfigProblem {
  return { file, line: null, reason: "was removed; its settings stay in force until agentd restarts" };
}

function isWatched(path: string, files: readonly string[]): boolean {
  return files.some((file) => path === file || path === dirname(file));
}

function targetOf(file: string): string {
  return attempt(() => realpathSync(file)) ?? file;
}
