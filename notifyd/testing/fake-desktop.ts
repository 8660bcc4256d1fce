// SPDX-License-Identifier: MIT OR Apache-2.0
// A desktop for tests: programs named notify-send and gdbus in a directory for the PATH, which behave like the real ones.
// Each connects to the test, reports its arguments, and waits for instructions.
import { chmodSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import { temporaryDirectory } from "../../bus-client/testing/temporary-directory.ts";

/** The capabilities of the notification service. `silent`: it never answers; `absent`: the call fails at once. */
export type FakeService = "buttons" | "no-buttons" | "silent" | "absent";

export interface FakeNotification {
  readonly pid: number;
  /** The arguments before `--`. */
  readonly options: readonly string[];
  readonly summary: string;
  readonly body: string;
  /** The labels of the buttons, in order. */
  readonly buttons: readonly string[];
  /** Presses the button, as a person would. */
  press(index: number): void;
  /** Closes the notification, as a person would. */
  close(): void;
  /** Ends as notify-send does when it has no buttons or lost its service. */
  fail(message: string): void;
  /** Resolves with `closed` if it got a SIGINT, else `gone`. */
  readonly ended: Promise<"closed" | "gone">;
}

export interface FakeDesktop {
  readonly environment: Readonly<Record<string, string>>;
  readonly notifications: Inbox<FakeNotification>;
  service: FakeService;
  /** If true, SIGINT does not end a notification. */
  stubborn: boolean;
  /** The pids of the programs that watch the owner, as they are started. */
  readonly watchers: Inbox<number>;
  /** The service ends, without a word to its clients, as a killed one does. */
  endService(): void;
  /** Another one starts. */
  startService(): void;
}

export async function fakeDesktop(service: FakeService = "buttons"): Promise<FakeDesktop> {
  const directory = temporaryDirectory();
  const socketPath = join(directory, "desktop.sock");
  const notifications = new Inbox<FakeNotification>();
  const desktop: FakeDesktop = {
    environment: {
      PATH: directory,
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere",
      FAKE_DESKTOP: socketPath,
    },
    notifications,
    service,
    stubborn: false,
    watchers: new Inbox<number>(),
    endService: () => own(undefined),
    startService: () => own((owners += 1)),
  };
  let owners = 1;
  let owner: number | undefined = service === "absent" ? undefined : owners;
  const watching = new Set<(what: object) => void>();
  const ownerLine = (): object => {
    const what = owner === undefined ? "does not have an owner" : `is owned by :1.${owner}`;
    return { out: `The name org.freedesktop.Notifications ${what}\n`, more: true };
  };
  const own = (next: number | undefined): void => {
    owner = next;
    for (const say of watching) say(ownerLine());
  };
  for (const name of ["notify-send", "gdbus"]) {
    writeFileSync(join(directory, name), `#!${process.execPath}\n${program}`);
    chmodSync(join(directory, name), 0o755);
  }
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    let told = false;
    const say = (what: object): boolean => socket.write(`${JSON.stringify(what)}\n`);
    const over = new Promise<"closed" | "gone">((resolve) => {
      socket.on("error", () => {});
      socket.on("close", () => resolve(text.includes('"SIGINT"') ? "closed" : "gone"));
    });
    socket.on("data", (piece) => {
      text += piece.toString();
      const line = text.indexOf("\n");
      if (line < 0) return;
      if (text.includes('"SIGINT"') && !desktop.stubborn) say({ out: "", code: 0 });
      if (told) return;
      told = true;
      const { name, pid, words } = JSON.parse(text.slice(0, line)) as { name: string; pid: number; words: string[] };
      if (name === "gdbus" && words[0] === "monitor") {
        watching.add(say);
        socket.on("close", () => watching.delete(say));
        if (desktop.service !== "silent") say(ownerLine());
        desktop.watchers.push(pid);
      } else if (name === "gdbus") answerProbe(desktop.service, say);
      else notifications.push(notification(pid, words, say, over));
    });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return desktop;
}

function answerProbe(service: FakeService, say: (what: object) => void): void {
  switch (service) {
    case "buttons":
      return say({ out: "(['body', 'actions', 'body-markup'],)\n", code: 0 });
    case "no-buttons":
      return say({ out: "(['body', 'body-markup'],)\n", code: 0 });
    case "absent":
      return say({ error: "GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown: no such name\n", code: 1 });
    case "silent":
      return;
  }
}

function notification(
  pid: number,
  words: readonly string[],
  say: (what: object) => void,
  ended: Promise<"closed" | "gone">,
): FakeNotification {
  const end = words.indexOf("--");
  const options = words.slice(0, end);
  const actions = options.filter((_, index) => options[index - 1] === "--action").map((one) => one.split("="));
  // Without buttons it ends at once, like the real one.
  if (actions.length === 0) say({ out: "", code: 0 });
  return {
    pid,
    options,
    summary: words[end + 1] ?? "",
    body: unescaped(words[end + 2] ?? ""),
    buttons: actions.map(([, ...label]) => label.join("=")),
    press: (index) => say({ out: `${actions[index]?.[0]}\n`, code: 0 }),
    close: () => say({ out: "", code: 0 }),
    fail: (message) => say({ error: `${message}\n`, code: 1 }),
    ended,
  };
}

/** Interprets escapes as notify-send does in the body, and only there. */
function unescaped(body: string): string {
  const letters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v" };
  return body.replace(/\\([0-7]{1,3}|.)/gsu, (_, escape: string) =>
    /^[0-7]/u.test(escape) ? String.fromCharCode(Number.parseInt(escape, 8)) : (letters[escape] ?? escape),
  );
}

const program = `
const { connect } = require("node:net");
const { basename } = require("node:path");
const socket = connect(process.env.FAKE_DESKTOP);
process.on("SIGINT", () => void (socket.writableEnded || socket.write('"SIGINT"\\n')));
socket.write(JSON.stringify({ name: basename(process.argv[1]), pid: process.pid, words: process.argv.slice(2) }) + "\\n");
let text = "";
socket.on("data", (piece) => {
  text += piece;
  for (let end; (end = text.indexOf("\\n")) >= 0; text = text.slice(end + 1)) {
    const told = JSON.parse(text.slice(0, end));
    if (told.error) process.stderr.write(told.error);
    if (told.out) process.stdout.write(told.out);
    if (told.more) continue;
    process.exitCode = told.code;
    socket.end();
  }
});
`;
