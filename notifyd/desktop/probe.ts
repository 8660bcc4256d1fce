// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks for a notification service and its capabilities with gdbus or busctl, since notify-send itself hangs when no
// service answers.
import { findOnPath } from "../../files/find-on-path.ts";
import { firstLine, type HelperOptions, startHelper } from "./helper.ts";
import type { ServiceCapabilities } from "./notification-text.ts";
import { endWithUs, sessionBusCommand } from "./session-bus.ts";

export type ProbeResult =
  | { readonly there: false; readonly why: string }
  | ({
      readonly there: true;
      readonly notifySend: string;
      /** Stands before the command of notify-send. */
      readonly commandPrefix: readonly string[];
    } & ServiceCapabilities);

/** Never rejects. Resolves within `probeTimeoutMs` plus the time to end the helper program. */
export async function probe(options: HelperOptions & { readonly probeTimeoutMs: number }): Promise<ProbeResult> {
  const { environment, probeTimeoutMs } = options;
  const path = environment["PATH"];
  if (!environment["DBUS_SESSION_BUS_ADDRESS"]) return absent("DBUS_SESSION_BUS_ADDRESS is not set: no desktop here");
  const notifySend = findOnPath("notify-send", path);
  if (notifySend === undefined) return absent("notify-send is not on the PATH");
  const command = sessionBusCommand("getCapabilities", path);
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
  return {
    there: true,
    notifySend,
    commandPrefix: endWithUs(path),
    buttons: can("actions"),
    body: can("body"),
    markup: can("body-markup"),
  };
}

function absent(why: string): ProbeResult {
  return { there: false, why };
}
