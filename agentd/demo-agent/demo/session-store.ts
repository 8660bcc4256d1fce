// SPDX-License-Identifier: MIT OR Apache-2.0
// The sessions that the demo agent can load and resume: one file each in a directory of its own, or in memory if it was
// given none.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const savedSession = z.object({
  id: z.string(),
  cwd: z.string(),
  title: z.string().optional(),
  updatedAt: z.string(),
  usedTokens: z.number(),
  options: z.object({
    mode: z.enum(["ask", "auto"]),
    pace: z.enum(["slow", "normal", "fast"]),
    thoughts: z.boolean(),
  }),
  alwaysAllowed: z.array(z.enum(["read", "edit", "search"])),
  /** ACP's session updates, oldest first. */
  updates: z.array(z.looseObject({ sessionUpdate: z.string() })),
});
export type SavedSession = z.output<typeof savedSession>;

export interface SessionStore {
  /** Undefined if there is none, or if its file cannot be read. */
  read(id: string): SavedSession | undefined;
  write(session: SavedSession): void;
  remove(id: string): void;
  /** In no order. */
  all(): SavedSession[];
}

/** More than this, the oldest are removed. */
const filesMax = 200;
/** UTF-16 units of JSON. Of a longer conversation the beginning is dropped. */
const conversationMax = 256 * 1024;

export function memoryStore(): SessionStore {
  const sessions = new Map<string, SavedSession>();
  return {
    read: (id) => sessions.get(id),
    write: (session) => void sessions.set(session.id, session),
    remove: (id) => void sessions.delete(id),
    all: () => [...sessions.values()],
  };
}

export function fileStore(directory: string): SessionStore {
  // An id from a client is a path only if it is one of ours.
  const fileOf = (id: string): string | undefined =>
    /^[0-9a-f-]{36}$/.test(id) ? join(directory, `${id}.json`) : undefined;
  const names = (): string[] => existing(() => readdirSync(directory).filter((name) => name.endsWith(".json"))) ?? [];
  const read = (id: string): SavedSession | undefined => {
    const file = fileOf(id);
    const text = file && existing(() => readFileSync(file, "utf8"));
    return text ? parse(text) : undefined;
  };
  return {
    read,
    write(session) {
      const file = fileOf(session.id);
      if (!file) return;
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const temporary = `${file}.new`;
      writeFileSync(temporary, JSON.stringify(bounded(session)), { mode: 0o600 });
      renameSync(temporary, file);
      for (const name of oldest(directory, names())) rmSync(join(directory, name), { force: true });
    },
    remove(id) {
      const file = fileOf(id);
      if (file) rmSync(file, { force: true });
    },
    all: () => names().flatMap((name) => read(name.slice(0, -".json".length)) ?? []),
  };
}

function parse(text: string): SavedSession | undefined {
  try {
    return savedSession.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function bounded(session: SavedSession): SavedSession {
  let length = 0;
  const updates = session.updates.toReversed();
  const kept = updates.findIndex((update) => (length += JSON.stringify(update).length) > conversationMax);
  return kept < 0 ? session : { ...session, updates: updates.slice(0, kept).toReversed() };
}

/** Returns the files beyond `filesMax`. */
function oldest(directory: string, names: readonly string[]): string[] {
  if (names.length <= filesMax) return [];
  const dated = names.flatMap((name) => {
    const stat = existing(() => statSync(join(directory, name)));
    return stat ? [{ name, at: stat.mtimeMs }] : [];
  });
  return dated
    .sort((one, other) => other.at - one.at)
    .slice(filesMax)
    .map(({ name }) => name);
}

function existing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
