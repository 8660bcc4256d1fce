// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the user's npm with the user's configuration of registry and proxy, in a directory of agentd's.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { findOnPath } from "../../../files/find-on-path.ts";
import { CatalogueError } from "../catalogue-error.ts";
import type { PinnedPackage } from "../installed-agents.ts";
import { npmFailure } from "./npm-failure.ts";

export interface NpmRun {
  /** The program npm. */
  readonly npm: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly searchPath: string;
  /** agentd's own Node. */
  readonly nodeProgram: string;
  /** An empty directory, where `node_modules` is made. */
  readonly into: string;
  readonly wanted: PinnedPackage;
  readonly signal: AbortSignal;
  /** Called once for each package that was downloaded or taken from npm's cache. */
  readonly onPackage: () => void;
}

/** Looks beside agentd's own Node, too, as a service manager's PATH may have neither. */
export function findNpm(searchPath: string, nodeProgram: string): string | undefined {
  return findOnPath("npm", withOwnNode(searchPath, nodeProgram));
}

function withOwnNode(searchPath: string, nodeProgram: string): string {
  return [searchPath, dirname(nodeProgram)].filter((part) => part !== "").join(delimiter);
}

/** Throws CatalogueError if npm fails, and CANCELLED once it has ended after an abort. */
export async function installPackage(run: NpmRun): Promise<void> {
  const { into, wanted, signal } = run;
  const what = `${wanted.name}@${wanted.version}`;
  const npm = spawn(run.npm, [...npmArguments(into), what], {
    cwd: into,
    env: npmEnvironment(run.environment, withOwnNode(run.searchPath, run.nodeProgram)),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stop = (): void => {
    npm.kill("SIGTERM");
    setTimeout(() => npm.kill("SIGKILL"), killAfterMs).unref();
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const output = collectOutput(npm.stderr, run.onPackage);
  try {
    const [code, by] = (await once(npm, "close")) as [number | null, NodeJS.Signals | null];
    if (signal.aborted) throw new CatalogueError("CANCELLED", `${what}: the installation was cancelled`);
    if (code !== 0) throw npmFailure(what, output(), by ?? `exit code ${code}`);
  } catch (error) {
    if (error instanceof CatalogueError) throw error;
    throw new CatalogueError("INSTALL_FAILED", `${run.npm} could not be run: ${(error as Error).message}`);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const killAfterMs = 2_000;

/**
 * Overrides what the user's configuration could say against an installation in this directory. Install scripts are off:
 * all pinned agents work without.
 */
function npmArguments(into: string): string[] {
  return [
    "install",
    `--prefix=${into}`,
    "--location=project",
    "--global=false",
    "--dry-run=false",
    "--ignore-scripts",
    "--include=optional",
    "--omit=dev",
    "--bin-links",
    "--engine-strict=false",
    "--audit=false",
    "--fund=false",
    "--update-notifier=false",
    "--progress=false",
    "--color=false",
    // A line for each download.
    "--loglevel=http",
    // Otherwise npm says nothing for a minute where there is no network.
    "--fetch-retry-mintimeout=1000",
  ];
}

/** The user's environment without what a package script, and another agentd's session, put there. */
function npmEnvironment(environment: NpmRun["environment"], path: string): Record<string, string> {
  const isPackageScript = environment["npm_lifecycle_event"] !== undefined || environment["npm_command"] !== undefined;
  const kept = Object.entries(environment).filter(
    ([name, value]) =>
      value !== undefined &&
      !(isPackageScript && name.startsWith("npm_")) &&
      !name.startsWith("AGENTD_") &&
      name !== "INIT_CWD" &&
      name !== "NODE_OPTIONS",
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: path };
}

const outputLengthMax = 64 * 1024;

/** Keeps the end of what was written, and counts the packages. */
function collectOutput(stream: NodeJS.ReadableStream, onPackage: () => void): () => string {
  let kept = "";
  let line = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    kept = (kept + chunk).slice(-outputLengthMax);
    const lines = (line + chunk).split("\n");
    line = (lines.pop() ?? "").slice(-outputLengthMax);
    for (const each of lines) if (/^npm http (?:fetch GET 200|cache) \S+\.tgz/u.test(each)) onPackage();
  });
  return () => kept;
}
