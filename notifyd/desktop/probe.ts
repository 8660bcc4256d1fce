// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks for a notification service and its capabilities with gdbus or busctl, since notify-send itself hangs when no
// service answers.
import { findOnPath } from "../../files/find-on-path.ts";
import { type HelperOptions, startHelper } from "./helper.ts";
import type { ServiceCapabilities } from "./notification-text.ts";

export type ProbeResult =
  | { readonly there: false; readonly why: string }
  | ({
      readonly there: true;
      readonly notifySend: string;
      /** The `setpriv` command that ends notify-send, and so its notification, when this process dies. Empty without it. */
      readonly commandPrefix: readonly string[];
    } & ServiceCapabilities);

/** Never rejects. Resolves within `probeTimeoutMs` plus the time to end the helper program. */
export async function probe(options: HelperOptions & { readonly probeTimeoutMs: number }): Promise<ProbeResult> {
  const { environment, probeTimeoutMs } = options;
  const path = environment["PATH"];
  if (!environment["DBUS_SESSION_BUS_ADDRESS"]) return absent("DBUS_SESSION_BUS_ADDRESS is not set: no desktop here");
  const notifySend = findOnPath("notify-send", path);
  if (notifySend === undefined) return absent("notify-send is not on the PATH");
  const [command] = probeCommands.flatMap(({ program, args }) => {
    const file = findOnPath(program, path);
    return file === undefined ? [] : [{ file, args }];
  });
  if (command === undefined) return absent("neither gdbus nor busctl is on the PATH");
  const helper = startHelper(command.file, command.args, options);
  let isTimedOut = false;
  const deadline = setTimeout(() => {
    isTimedOut = true;
    helper.end(0);
  }, probeTimeoutMs);
  const { code, stdout, stderr } = await helper.ended;
  clearTimeout(deadline);
  // A program that was ended by a signal may still exit with 0.
  if (isTimedOut || code !== 0)
    return absent(`no notification service answers: ${firstLine(stderr) || `no answer in ${probeTimeoutMs} ms`}`);
  // Both gdbus and busctl print the list of strings in quotes.
  const capabilities = new Set(Array.from(stdout.matchAll(/["']([a-z0-9-]+)["']/gu), ([, name]) => name));
  const can = (capability: string): boolean => capabilities.has(capability);
  const setpriv = findOnPath("setpriv", path);
  return {
    there: true,
    notifySend,
    commandPrefix: setpriv === undefined ? [] : [setpriv, "--pdeathsig", "INT"],
    buttons: can("actions"),
    body: can("body"),
    markup: can("body-markup"),
  };
}

const name = "org.freedesktop.Notifications";
const object = "/org/freedesktop/Notifications";

const probeCommands: readonly { readonly program: string; readonly args: readonly string[] }[] = [
  {
    program: "gdbus",
    args: ["call", "--session", "--dest", name, "--object-path", object, "--method", `${name}.GetCapabilities`],
  },
  { program: "busctl", args: ["--user", "call", name, object, name, "GetCapabilities"] },
];

function absent(why: string): ProbeResult {
  return { there: false, why };
}

export function firstLine(text: string): string {
  return text.trim().split("\n")[0]?.slice(0, 200) ?? "";
}
