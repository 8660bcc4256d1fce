// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls to the session's D-Bus, by whichever of gdbus and busctl is installed.
import { findOnPath } from "../../files/find-on-path.ts";

export interface SessionBusCommand {
  readonly file: string;
  readonly args: readonly string[];
}

const name = "org.freedesktop.Notifications";
const object = "/org/freedesktop/Notifications";
const ownerChanged = `type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${name}'`;

const programs = [
  {
    program: "gdbus",
    getCapabilities: `call --session --dest ${name} --object-path ${object} --method ${name}.GetCapabilities`.split(
      " ",
    ),
    watchOwner: ["monitor", "--session", "--dest", name],
  },
  {
    program: "busctl",
    getCapabilities: ["--user", "call", name, object, name, "GetCapabilities"],
    watchOwner: ["--user", "--json=short", `--match=${ownerChanged}`, "monitor"],
  },
] as const;

/** Undefined if neither program is on the PATH. */
export function sessionBusCommand(
  call: "getCapabilities" | "watchOwner",
  path: string | undefined,
): SessionBusCommand | undefined {
  for (const { program, [call]: args } of programs) {
    const file = findOnPath(program, path);
    if (file !== undefined) return { file, args };
  }
  return undefined;
}

/** Reads a line of `watchOwner`: the unique name of the owner, null for none, in the order in which they came. */
export function readOwners(line: string): readonly (string | null)[] {
  const gdbus = /^The name \S+ (?:is owned by (:\S+)|does not have an owner)$/u.exec(line);
  if (gdbus) return [gdbus[1] ?? null];
  // busctl does not say who the first owner is, but the signal names the old one.
  const busctl = /"member":"NameOwnerChanged".*"data":\["[^"]*","([^"]*)","([^"]*)"\]/u.exec(line);
  if (!busctl) return [];
  const [, before, after] = busctl;
  return [...(before ? [null] : []), ...(after ? [after] : [])];
}

/** The `setpriv` command that ends a helper program, and so its notification, when this process dies. Empty without it. */
export function endWithUs(path: string | undefined): readonly string[] {
  const setpriv = findOnPath("setpriv", path);
  return setpriv === undefined ? [] : [setpriv, "--pdeathsig", "INT"];
}
