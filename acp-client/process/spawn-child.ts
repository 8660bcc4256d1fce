// SPDX-License-Identifier: MIT OR Apache-2.0
// Starts a child with raw pipes, without a shell, in a session of its own and so without a controlling terminal.
import { execa } from "execa";
import type { Marker } from "./process-source.ts";
import { explainSpawnFailure, type SpawnAttempt, type SpawnFailure } from "./spawn-failure.ts";

export interface SpawnOptions extends SpawnAttempt {
  /** Set in the environment of the whole process tree, to find its orphans. The value is random per session. */
  readonly marker: Marker;
}

/** `ignore` means /dev/null. */
export type SpawnStdin = "pipe" | "ignore";

type Child<Stdin extends SpawnStdin> = ReturnType<typeof spawn<Stdin>>;
export type SpawnedChild<Stdin extends SpawnStdin = "pipe"> = Child<Stdin> & { readonly pid: number };

/** The child, or its failure: a promise, since some errors are reported asynchronously. */
export type Spawned<Stdin extends SpawnStdin = "pipe"> =
  | { readonly child: SpawnedChild<Stdin> }
  | { readonly failure: Promise<SpawnFailure> };

export function spawnChild<Stdin extends SpawnStdin>(options: SpawnOptions, stdin: Stdin): Spawned<Stdin> {
  try {
    const child = spawn(options, stdin);
    return hasPid(child) ? { child } : { failure: awaitFailure(child, options) };
  } catch (error) {
    return { failure: Promise.resolve(explainSpawnFailure(error, options)) };
  }
}

/** Turns off everything by which execa would read, time out or kill the child. */
function spawn<Stdin extends SpawnStdin>(options: SpawnOptions, stdin: Stdin) {
  const { command, cwd, env, marker } = options;
  const [program, ...args] = command;
  return execa(program, args, {
    cwd,
    env: { ...env, [marker.name]: marker.value },
    extendEnv: false,
    detached: true,
    stdin,
    stdout: "pipe",
    stderr: "pipe",
    buffer: false,
    encoding: "buffer",
    stripFinalNewline: false,
    cleanup: false,
    reject: false,
  });
}

function hasPid<Stdin extends SpawnStdin>(child: Child<Stdin>): child is SpawnedChild<Stdin> {
  return child.pid !== undefined;
}

async function awaitFailure(
  child: PromiseLike<{ readonly cause?: unknown }>,
  options: SpawnOptions,
): Promise<SpawnFailure> {
  const { cause } = await child;
  return explainSpawnFailure(cause, options);
}
