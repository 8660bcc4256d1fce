// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the user's npm with the user's configuration of registry and proxy, in a directory of agentd's.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { attempt } from "../../../files/attempt.ts";
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
  /** How long npm may say nothing before it is stopped. */
  readonly silenceMs?: number;
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

/** Throws CatalogueError if npm fails or hangs, and CANCELLED once it has ended after an abort. */
export async function installPackage(run: NpmRun): Promise<void> {
  const { into, wanted, signal, silenceMs = silenceMsMax } = run;
  const what = `${wanted.name}@${wanted.version}`;
  const npm = spawn(run.npm, [...npmArguments(into), what], {
    cwd: into,
    env: npmEnvironment(run.environment, withOwnNode(run.searchPath, run.nodeProgram)),
    stdio: ["ignore", "ignore", "pipe"],
    // In a process group of its own, with which all that it has started ends, and without the terminal, on which git would
    // ask for a password.
    detached: true,
  });
  const group = new ProcessGroup(npm.pid);
  const stop = (): void => group.stop();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const silence = new Silence(silenceMs, stop);
  const output = collectOutput(npm.stderr, run.onPackage, () => silence.restart());
  try {
    const [code, by] = (await once(npm, "close")) as [number | null, NodeJS.Signals | null];
    if (signal.aborted) throw new CatalogueError("CANCELLED", `${what}: the installation was cancelled`);
    if (silence.isOver) {
      const minutes = `npm said nothing for ${Math.round(silenceMs / 60_000)} minutes and was stopped`;
      throw new CatalogueError("INSTALL_NETWORK", `${what}: ${minutes}`);
    }
    if (code !== 0) throw npmFailure(what, output(), by ?? `exit code ${code}`);
  } catch (error) {
    if (error instanceof CatalogueError) throw error;
    throw new CatalogueError("INSTALL_FAILED", `${run.npm} could not be run: ${(error as Error).message}`);
  } finally {
    silence.end();
    group.forget();
    signal.removeEventListener("abort", stop);
  }
}

/** npm itself gives up a download after 5 minutes without a byte, and tries twice more. */
const silenceMsMax = 20 * 60_000;
const killAfterMs = 2_000;

class Silence {
  readonly #ms: number;
  readonly #onOver: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(ms: number, onOver: () => void) {
    this.#ms = ms;
    this.#onOver = onOver;
    this.restart();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#onOver();
    }, this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

class ProcessGroup {
  readonly #leader: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(leader: number | undefined) {
    this.#leader = leader;
  }

  stop(): void {
    this.#send("SIGTERM");
    this.#timer ??= setTimeout(() => this.#send("SIGKILL"), killAfterMs);
  }

  /** The number may be another's from now on. */
  forget(): void {
    clearTimeout(this.#timer);
  }

  #send(signal: NodeJS.Signals): void {
    const leader = this.#leader;
    if (leader !== undefined) attempt(() => process.kill(-leader, signal));
  }
}

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
    "--package-lock-only=false",
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
function collectOutput(stream: NodeJS.ReadableStream, onPackage: () => void, onText: () => void): () => string {
  let kept = "";
  let line = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    onText();
    kept = (kept + chunk).slice(-outputLengthMax);
    const lines = (line + chunk).split("\n");
    line = (lines.pop() ?? "").slice(-outputLengthMax);
    for (const each of lines) if (/^npm http (?:fetch GET 200|cache) \S+\.tgz/u.test(each)) onPackage();
  });
  return () => kept;
}
