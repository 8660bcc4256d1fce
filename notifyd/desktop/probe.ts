// SPDX-License-Identifier: MIT OR Apache-2.0
// Whether there is a notification service, and whether it shows buttons. Asked of the service itself, by a program that
// gives up: notify-send hangs where nobody answers.
import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type HelperOptions, startHelper } from "./helper.ts";
import type { Service } from "./words.ts";

export type Found =
  | { readonly there: false; readonly why: string }
  | ({
      readonly there: true;
      readonly notifySend: string;
      /** Goes before notify-send, so that the notification does not outlive us. */
      readonly before: readonly string[];
    } & Service);

/** Never rejects; answers within `probeMs` and what ending a program takes. */
export async function probe(options: HelperOptions & { readonly probeMs: number }): Promise<Found> {
  const { environment, probeMs } = options;
  const path = environment["PATH"];
  if (!environment["DBUS_SESSION_BUS_ADDRESS"]) return absent("DBUS_SESSION_BUS_ADDRESS is not set: no desktop here");
  const notifySend = findOnPath("notify-send", path);
  if (notifySend === undefined) return absent("notify-send is not on the PATH");
  const asking = askers.find(({ program }) => findOnPath(program, path) !== undefined);
  const asker = asking && findOnPath(asking.program, path);
  if (asking === undefined || asker === undefined) return absent("neither gdbus nor busctl is on the PATH");
  const helper = startHelper(asker, asking.words, options);
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    helper.end(0);
  }, probeMs);
  const { code, stdout, stderr } = await helper.ended;
  clearTimeout(deadline);
  // One that was ended may say that all went well.
  if (isLate || code !== 0)
    return absent(`no notification service answers: ${firstLine(stderr) || `no answer in ${probeMs} ms`}`);
  // As gdbus and busctl write a list of texts.
  const capabilities = new Set(Array.from(stdout.matchAll(/["']([a-z0-9-]+)["']/gu), ([, name]) => name));
  const can = (capability: string): boolean => capabilities.has(capability);
  const setpriv = findOnPath("setpriv", path);
  return {
    there: true,
    notifySend,
    before: setpriv === undefined ? [] : [setpriv, "--pdeathsig", "INT"],
    buttons: can("actions"),
    body: can("body"),
    markup: can("body-markup"),
  };
}

const name = "org.freedesktop.Notifications";
const object = "/org/freedesktop/Notifications";

const askers: readonly { readonly program: string; readonly words: readonly string[] }[] = [
  {
    program: "gdbus",
    words: ["call", "--session", "--dest", name, "--object-path", object, "--method", `${name}.GetCapabilities`],
  },
  { program: "busctl", words: ["--user", "call", name, object, name, "GetCapabilities"] },
];

function absent(why: string): Found {
  return { there: false, why };
}

export function firstLine(text: string): string {
  return text.trim().split("\n")[0]?.slice(0, 200) ?? "";
}

/** The program's file on that PATH, or undefined. Relative directories of a PATH are not looked into. */
function findOnPath(program: string, path: string | undefined): string | undefined {
  for (const directory of (path ?? "").split(":")) {
    if (!isAbsolute(directory)) continue;
    const file = join(directory, program);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}
