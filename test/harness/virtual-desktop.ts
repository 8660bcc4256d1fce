// SPDX-License-Identifier: MIT OR Apache-2.0
// A desktop without a screen: an X server in memory, a D-Bus session of its own, and a real notification service. What
// the service is asked to show is read from the D-Bus; buttons are pressed with the mouse, as a person would.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import { attempt } from "../../files/attempt.ts";
import { findOnPath } from "../../files/find-on-path.ts";
import { within } from "./deadline.ts";
import type { Place } from "./place.ts";

export const desktopServices = ["dunst", "xfce4-notifyd"] as const;
export type DesktopService = (typeof desktopServices)[number];

export interface ShownNotification {
  readonly summary: string;
  readonly body: string;
  readonly buttons: readonly string[];
  /** Presses the button with this label. It is to be the only notification. Resolves when the service has said so. */
  press(label: string): Promise<void>;
}

export interface VirtualDesktop extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  /** What the service is asked to show, as it comes. */
  readonly shown: Inbox<ShownNotification>;
  /** One item for each notification that the service says is closed. */
  readonly closed: Inbox<"closed">;
  killService(): Promise<void>;
  /** Does nothing for xfce4-notifyd, which the D-Bus starts when it is called. */
  startService(): void;
}

const run = promisify(execFile);
const busName = "org.freedesktop.Notifications";
/** The files by which the D-Bus starts xfce4-notifyd, and what keeps its settings. */
const xfceFiles = ["org.xfce.Xfconf.service", "org.xfce.xfce4-notifyd.Notifications.service"];
const serviceFiles = "/usr/share/dbus-1/services";
/** Pixels from the middle of the buttons of xfce4-notifyd to the lower edge of its window. */
const xfceButtonHeight = 31;

/** Undefined if this machine has all that the desktop needs. */
export function whyNoDesktop(service: DesktopService): string | undefined {
  const programs = ["Xvfb", "dbus-daemon", "busctl", "gdbus", "notify-send", "xdotool"];
  if (service === "dunst") programs.push("dunst");
  const missing = programs.filter((program) => findOnPath(program, process.env["PATH"]) === undefined);
  if (service === "xfce4-notifyd") {
    missing.push(...xfceFiles.filter((name) => !existsSync(join(serviceFiles, name))));
  }
  return missing.length === 0 ? undefined : `not installed: ${missing.join(", ")}`;
}

export async function startVirtualDesktop(place: Place, service: DesktopService): Promise<VirtualDesktop> {
  const home = join(place.home, "desktop");
  mkdirSync(join(home, "services"), { recursive: true });
  const children: ChildProcess[] = [];
  let address: string | undefined;
  const stop = async (): Promise<void> => {
    if (address !== undefined) await endClients(address);
    // The last first: a service ends before the D-Bus, and both before the X server, which removes its lock file.
    for (const child of children.toReversed()) await end(child);
  };
  const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess => {
    const child = spawn(program, args, { env, cwd: home, stdio: ["ignore", "pipe", "pipe"] });
    children.push(child);
    return child;
  };
  try {
    // Programs of a desktop start services for accessibility unless told otherwise.
    const own = { ...place.environment, NO_AT_BRIDGE: "1", GTK_A11Y: "none", GSETTINGS_BACKEND: "memory" };
    const screen = ["-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"];
    const display = `:${await lineOf(start("Xvfb", ["-displayfd", "1", ...screen], own).stdout)}`;
    if (service === "xfce4-notifyd") {
      for (const name of xfceFiles) copyFileSync(join(serviceFiles, name), join(home, "services", name));
    }
    writeFileSync(join(home, "session.conf"), sessionConfig(home));
    const daemon = ["--config-file=session.conf", "--nofork", "--print-address=1"];
    address = await lineOf(start("dbus-daemon", daemon, { ...own, DISPLAY: display }).stdout);
    const environment = { ...own, DISPLAY: display, DBUS_SESSION_BUS_ADDRESS: address };
    const desktop = await watched(environment, start("busctl", monitorArguments(address), environment), service, home);
    const startService = (): void => {
      if (service === "dunst") start("dunst", ["-config", join(home, "dunstrc")], environment);
    };
    startService();
    return { environment, ...desktop, startService, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Message = {
  readonly member?: string;
  readonly type: string;
  readonly payload: { readonly data: readonly never[] };
};

async function watched(environment: NodeJS.ProcessEnv, monitor: ChildProcess, service: DesktopService, home: string) {
  const shown = new Inbox<ShownNotification>();
  const closed = new Inbox<"closed">();
  const invoked = new Inbox<string>();
  const press = service === "dunst" ? await dunstPress(environment, home) : xfcePress(environment);
  createInterface(lines(monitor.stdout)).on("line", (line) => {
    const { member, type, payload } = JSON.parse(line) as Message;
    if (type === "signal" && member === "NotificationClosed") closed.push("closed");
    if (type === "signal" && member === "ActionInvoked") invoked.push(payload.data[1] ?? "");
    if (type === "method_call" && member === "Notify") {
      const [, , , summary, body, actions] = payload.data as readonly unknown[] as NotifyCall;
      const buttons = actions.filter((_, index) => index % 2 === 1);
      shown.push({
        summary,
        body,
        buttons,
        async press(label) {
          const key = await pressUntil(invoked.next(`the button ${label}`), () => press(label, buttons));
          if (actions[actions.indexOf(key) + 1] !== label) throw new Error(`${key} was pressed instead of ${label}`);
        },
      });
    }
  });
  await lineOf(monitor.stderr);
  const killService = async (): Promise<void> => {
    const method = "org.freedesktop.DBus.GetConnectionUnixProcessID";
    const call = ["call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/", "--method", method];
    const { stdout } = await run("gdbus", [...call, busName], { env: environment });
    process.kill(Number(/ (\d+),/u.exec(stdout)?.[1]), "SIGKILL");
  };
  return { shown, closed, killService };
}

type NotifyCall = readonly [string, number, string, string, string, readonly string[]];
type Press = (label: string, labels: readonly string[]) => Promise<void>;

/** A window that has just appeared may not take a click yet, so it is clicked again until the service says that it was. */
async function pressUntil(invoked: Promise<string>, press: () => Promise<void>): Promise<string> {
  let key: string | undefined;
  void invoked.then(
    (pressed) => (key = pressed),
    () => (key = ""),
  );
  while (key === undefined) {
    await press();
    await Promise.race([invoked, delay(500)]);
  }
  return await invoked;
}

/** A middle click opens a menu, which is a program of the configuration that prints the chosen line. */
async function dunstPress(environment: NodeJS.ProcessEnv, home: string): Promise<Press> {
  writeFileSync(join(home, "menu"), `#!/bin/sh\nexec grep -F -- "$(cat '${join(home, "choice")}')"\n`, { mode: 0o700 });
  writeFileSync(join(home, "dunstrc"), `[global]\ndmenu = ${join(home, "menu")}\n`);
  return async (label) => {
    writeFileSync(join(home, "choice"), label);
    const window = await geometryOf(environment, "Dunst");
    if (window) await click(environment, window.left + window.width / 2, window.top + window.height / 2, "2");
  };
}

/** The buttons stand in one row at the lower edge and have the same width. */
function xfcePress(environment: NodeJS.ProcessEnv): Press {
  return async (label, labels) => {
    const window = await geometryOf(environment, "Xfce4-notifyd");
    if (!window) return;
    const part = (labels.indexOf(label) + 0.5) / labels.length;
    await click(environment, window.left + window.width * part, window.top + window.height - xfceButtonHeight, "1");
  };
}

async function geometryOf(env: NodeJS.ProcessEnv, windowClass: string) {
  // It fails while there is no such window.
  const search = ["search", "--onlyvisible", "--class", windowClass, "getwindowgeometry", "--shell"];
  const { stdout } = await run("xdotool", search, { env }).catch(() => ({ stdout: "" }));
  const read = (name: string): number => Number(new RegExp(`^${name}=(-?\\d+)$`, "mu").exec(stdout)?.[1]);
  const [left, top, width, height] = [read("X"), read("Y"), read("WIDTH"), read("HEIGHT")];
  return Number.isNaN(height) ? undefined : { left, top, width, height };
}

async function click(env: NodeJS.ProcessEnv, left: number, top: number, button: string): Promise<void> {
  await run("xdotool", ["mousemove", String(Math.round(left)), String(Math.round(top)), "click", button], { env });
}

function monitorArguments(address: string): string[] {
  return [`--address=${address}`, "--json=short", `--match=interface='${busName}'`, "monitor"];
}

/** A session bus that starts only the services in `home`. */
function sessionConfig(home: string): string {
  return `<busconfig>
  <type>session</type>
  <listen>unix:path=${join(home, "bus")}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>${join(home, "services")}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;
}

function lines(stream: Readable | null): Readable {
  if (stream === null) throw new Error("it has no pipe");
  return stream;
}

async function lineOf(stream: Readable | null): Promise<string> {
  const [line] = (await within(20_000, "no line came", once(createInterface(lines(stream)), "line"))) as [string];
  return line;
}

/** Ends all programs of that D-Bus session, also those that the D-Bus started. */
async function endClients(address: string): Promise<void> {
  const clients = (): number[] =>
    readdirSync("/proc")
      .map(Number)
      .filter(
        (pid) => pid > 0 && (attempt(() => readFileSync(`/proc/${pid}/environ`, "utf8")) ?? "").includes(address),
      );
  for (const pid of clients()) attempt(() => process.kill(pid, "SIGTERM"));
  const allEnded = async (): Promise<void> => {
    while (clients().length > 0) await delay(20);
  };
  await within(10_000, "a program of the desktop did not end", allEnded());
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await within(10_000, `${child.spawnfile} did not end`, exited);
}
