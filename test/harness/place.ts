// SPDX-License-Identifier: MIT OR Apache-2.0
// A place of its own for one agentd: state, configuration, runtime directory and a root for sessions, all gone afterwards.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Place extends Disposable {
  readonly home: string;
  /** Where session directories lie. */
  readonly root: string;
  readonly stateDirectory: string;
  readonly configFile: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A fresh directory under the root. */
  directory(name?: string): string;
  configure(toml: string): void;
}

/** `agents`: catalogue entries by name, their command alone. */
export function makePlace(agents: Readonly<Record<string, readonly string[]>> = {}, more = ""): Place {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "agentd-test-")));
  const root = join(home, "work");
  const stateDirectory = join(home, "state", "agentd");
  const configFile = join(home, "config", "agentd", "agentd.toml");
  for (const directory of [root, join(home, "config", "agentd"), join(home, "run"), join(home, "tmp")]) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }
  const configure = (toml: string): void => {
    const tables = Object.entries(agents).map(
      ([name, command]) => `[agents.${name}]\ncommand = ${JSON.stringify(command)}\n`,
    );
    // Scripted agents start no MCP server; a test that is about it says so.
    const tools = toml.includes("bus_tools") ? [] : ["bus_tools = false"];
    const lines = [`roots = [${JSON.stringify(root)}]`, ...tools, toml, ...tables];
    writeFileSync(configFile, lines.join("\n"), { mode: 0o600 });
  };
  configure(more);
  let made = 0;
  return {
    home,
    root,
    stateDirectory,
    configFile,
    environment: {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      HOME: home,
      LANG: "C.UTF-8",
      TMPDIR: join(home, "tmp"),
      XDG_STATE_HOME: join(home, "state"),
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_RUNTIME_DIR: join(home, "run"),
      // Nothing of the machine's own Bus is looked at.
      MIXOS_ETC: join(home, "etc"),
    },
    directory(name = `session-${(made += 1)}`) {
      const path = join(root, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    configure,
    [Symbol.dispose]() {
      rmSync(home, { recursive: true, force: true });
    },
  };
}
