// SPDX-License-Identifier: MIT OR Apache-2.0
import { execa } from "execa";
import type { AgentProcessOptions } from "./agent-process.ts";
import { explainSpawnFailure } from "./spawn-failure.ts";
import type { SpawnFailure } from "./spawn-failure.ts";

type Child = ReturnType<typeof spawn>;
export type SpawnedChild = Child & { readonly pid: number };

/** The child, or the promise of why there is none: the system tells that later for some causes. */
export type Spawned = { readonly child: SpawnedChild } | { readonly failure: Promise<SpawnFailure> };

export function spawnChild(options: AgentProcessOptions): Spawned {
  try {
    const child = spawn(options);
    return hasPid(child) ? { child } : { failure: failureOf(child, options) };
  } catch (error) {
    return { failure: Promise.resolve(explainSpawnFailure(error, options)) };
  }
}

/** Raw pipes, no shell, a session of its own (so no controlling terminal), and no say of execa in how it ends. */
function spawn({ command: [program, ...args], cwd, env, marker }: AgentProcessOptions) {
  return execa(program, args, {
    cwd,
    env: { ...env, [marker.name]: marker.value },
    extendEnv: false,
    detached: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    buffer: false,
    encoding: "buffer",
    stripFinalNewline: false,
    cleanup: false,
    reject: false,
  });
}

function hasPid(child: Child): child is SpawnedChild {
  return child.pid !== undefined;
}

async function failureOf(child: Child, options: AgentProcessOptions): Promise<SpawnFailure> {
  const { cause } = await child;
  return explainSpawnFailure(cause, options);
}
