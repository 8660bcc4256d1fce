// SPDX-License-Identifier: MIT OR Apache-2.0
// Looks up the values of the environment variables that a start passes on by name. Values never travel over the Bus.
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { isMarkedUtf16, withoutByteOrderMark } from "../../files/byte-order-mark.ts";
import { isVariableName, listStoredNames, storedFile, type StoredName } from "../../files/stored-values.ts";
import { readUpTo } from "../../files/read-up-to.ts";

export type PassedValues =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  /** The message contains the name (empty if none could be read) and where it was looked up, never a value. */
  | { readonly ok: false; readonly name: string; readonly message: string };

export interface PassedNames {
  readonly names: readonly string[];
  /** The configuration file, named in refusals. */
  readonly configFile: string;
  /** From the configuration: the names of agentd's own environment that may be passed on. */
  readonly allowEnv: readonly string[];
  /** agentd's own environment, which is searched first. An empty value counts as missing. */
  readonly parent: Readonly<Record<string, string | undefined>>;
  /** Searched next: a file with the variable's name contains its value. */
  readonly environmentDirectory: string;
  /** The user who runs agentd; the files must be accessible to that user only. */
  readonly uid: number;
  readonly bytesMax: number;
}

/** Reads the files each time, so that a changed secret takes effect at the next start or resume. All names or none. */
export function readPassedValues(from: PassedNames): PassedValues {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const name of from.names) {
    const isAllowed = from.allowEnv.includes(name) && isVariableName(name);
    const own = isAllowed ? from.parent[name] : undefined;
    if (own !== undefined && own !== "") {
      values[name] = own;
      continue;
    }
    // A value that a person has stored may be passed on: that is what it was stored for.
    const stored = isVariableName(name) ? readStoredValue(from, { name, agent: undefined }) : missing;
    if (stored.ok) values[name] = stored.value;
    else if (stored !== missing) return refuse(name, stored.reason);
    else if (isAllowed) {
      const file = storedFile(from.environmentDirectory, { name, agent: undefined });
      return refuse(name, `has no value: neither in agentd's own environment nor in ${file}`);
    } else {
      const list = `\`allow_env\` in ${from.configFile} lists the names that may`;
      const how = isVariableName(name) ? `store it with \`mix agent env set ${name}\`; ${list}` : list;
      return refuse(name, `may not be passed on; ${how}`);
    }
  }
  return { ok: true, values };
}

/** Returns the values that are stored for an agent: all of its processes get them. */
export function readAgentValues(
  from: Omit<PassedNames, "names" | "allowEnv" | "parent" | "configFile">,
  agent: string,
): PassedValues {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  let names: readonly StoredName[];
  try {
    names = listStoredNames(from.environmentDirectory);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    return { ok: false, name: "", message: `${from.environmentDirectory} cannot be read (${code ?? String(cause)})` };
  }
  for (const stored of names) {
    if (stored.agent !== agent) continue;
    const read = readStoredValue(from, stored);
    if (read.ok) values[stored.name] = read.value;
    else if (read !== missing) return refuse(stored.name, read.reason);
  }
  return { ok: true, values };
}

function refuse(name: string, reason: string): PassedValues {
  return { ok: false, name, message: `${JSON.stringify(name.slice(0, 128))} ${reason}` };
}

type Stored = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly reason: string };

const missing: Stored = { ok: false, reason: "" };

function readStoredValue(
  { environmentDirectory, uid, bytesMax }: Pick<PassedNames, "environmentDirectory" | "uid" | "bytesMax">,
  stored: StoredName,
): Stored {
  const file = storedFile(environmentDirectory, stored);
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ENOENT") return { ok: false, reason: `cannot be read from ${file} (${code ?? String(cause)})` };
    return missing;
  }
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) return { ok: false, reason: `is not in a regular file: ${file}` };
    if (found.uid !== uid || (found.mode & 0o077) !== 0) {
      return { ok: false, reason: `is accessible to others; ${file} must belong to you and have mode 0600` };
    }
    if (found.size > bytesMax) return { ok: false, reason: `is larger than ${bytesMax} bytes: ${file}` };
    return parseStoredValue(readUpTo(descriptor, found.size), file);
  } catch (cause) {
    return { ok: false, reason: `cannot be read from ${file} (${(cause as NodeJS.ErrnoException).code ?? "failed"})` };
  } finally {
    closeSync(descriptor);
  }
}

/** Drops the newline that an editor or `echo` leaves at the end, and a byte order mark. */
function parseStoredValue(bytes: Buffer, file: string): Stored {
  if (isMarkedUtf16(bytes)) return { ok: false, reason: `is UTF-16; save it as UTF-8: ${file}` };
  const value = withoutByteOrderMark(bytes)
    .toString("utf8")
    .replace(/\r?\n$/u, "");
  if (value === "") return { ok: false, reason: `has no value: ${file} is empty` };
  if (value.includes("\0")) return { ok: false, reason: `contains a NUL character, which no variable can: ${file}` };
  return { ok: true, value };
}
