// SPDX-License-Identifier: MIT OR Apache-2.0
import { onTestFinished, expect, test, vi } from "vitest";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import { type Clock, systemClock } from "../../bus-client/index.ts";
import type { NotifyAsk } from "../../agentd/vocabulary/index.ts";
import { type FakeDesktop, fakeDesktop, type FakeNotification } from "../testing/fake-desktop.ts";
import { openAsk } from "../testing/open-ask.ts";
import { type Limits, limits } from "../limits.ts";
import { NotifySend } from "./notify-send.ts";

test("a pressed button answers with the option at its index, whatever the options are called", async () => {
  const { desktop, shown, choices } = await opened();
  shown.present(ask("a1", ["--help", "o0=x;rm"]));
  const notification = await desktop.notifications.next();
  expect(notification.buttons).toEqual(["Allow once (--help)", "Reject once (o0=x;rm)"]);
  expect([notification.summary, notification.body]).toEqual(["-t &", "&lt;b&gt;\nfrom agent (ask a1)"]);
  notification.press(1);
  expect(await choices.next()).toEqual(["a1", "o0=x;rm"]);
});

test("backslash escapes in a question reach the screen unchanged, although notify-send interprets them", async () => {
  const { desktop, shown } = await opened();
  shown.present({ ...ask("a1"), body: String.raw`\074b\076 C:\new \\ \u{1b}` });
  expect((await desktop.notifications.next()).body).toBe(
    String.raw`\074b\076 C:\new \\ \u{1b}` + "\nfrom agent (ask a1)",
  );
});

test("closing a notification does not answer the ask, and it is not shown again", async () => {
  const { desktop, shown, choices } = await opened();
  shown.present(ask("a1"));
  const first = await desktop.notifications.next();
  first.close();
  await first.ended;
  shown.present(ask("a2"));
  const second = await desktop.notifications.next();
  second.press(0);
  expect(await choices.next()).toEqual(["a2", "yes"]);
});

test("a withdrawn ask is closed with SIGINT, and its program is killed if it ignores that", async () => {
  const { desktop, shown } = await opened({ killAfterMs: 50 });
  shown.present(ask("a1"));
  const polite = await desktop.notifications.next();
  shown.update(ask("a1"));
  expect(await polite.ended).toBe("closed");
  desktop.stubborn = true;
  shown.present(ask("a2"));
  const stubborn = await desktop.notifications.next();
  shown.update(ask("a2"));
  await stubborn.ended;
});

test("closing removes every notification and leaves no process", async () => {
  const { desktop, shown } = await opened();
  for (const id of ["a1", "a2"]) shown.present(ask(id));
  const notifications = [await desktop.notifications.next(), await desktop.notifications.next()];
  await shown.close();
  for (const { pid, ended } of notifications) {
    expect(await ended).toBe("closed");
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  }
});

test("without an answer to the probe nothing is started that would hang, and the reason is reported", async () => {
  const { shown, states } = await opened({ probeTimeoutMs: 50 }, "silent");
  shown.present(ask("a1"));
  await states.next();
  expect(shown.state).toEqual({ there: false, why: expect.stringContaining("no notification service") });
  expect(shown.tell({ title: "t", body: "", urgency: "low" }, "x")).toBe(false);
});

test("a service that starts later shows the asks that waited for it", async () => {
  const { desktop, shown, states } = await opened({ probeRetryMs: 20 }, "absent");
  await states.next();
  expect(shown.state).toMatchObject({ there: false });
  desktop.service = "buttons";
  shown.present(ask("a1"));
  expect((await desktop.notifications.next()).summary).toBe("-t &");
});

test("a service without buttons shows the question and how to answer it", async () => {
  const { desktop, shown } = await opened({}, "no-buttons");
  shown.present(ask("a1"));
  const notification = await desktop.notifications.next();
  expect(notification.buttons).toEqual([]);
  expect(notification.body).toContain("mix notify answer a1");
});

test("a failing notify-send does not answer the ask, which is shown again when the service is back", async () => {
  const { desktop, shown, choices } = await opened({ probeRetryMs: 20 });
  shown.present(ask("a1"));
  (await desktop.notifications.next()).fail("Unknown option --action");
  const again = await desktop.notifications.next();
  again.press(0);
  expect(await choices.next()).toEqual(["a1", "yes"]);
});

test("a service that is restarted shows the open asks again at once, and a notification of the old one counts no more", async () => {
  const { desktop, shown, choices } = await opened();
  for (const id of ["a1", "a2"]) shown.present(ask(id));
  const before = [await desktop.notifications.next(), await desktop.notifications.next()];
  desktop.service = "absent";
  desktop.endService();
  // Not by SIGINT: that would close a notification of the next service.
  for (const { ended } of before) expect(await ended).toBe("gone");
  desktop.service = "buttons";
  desktop.startService();
  const again = [await desktop.notifications.next(), await desktop.notifications.next()];
  again[0]?.press(1);
  expect((await choices.next())[1]).toBe("no");
  expect(desktop.notifications.waiting).toEqual([]);
});

test("a service that is replaced by another shows the open asks again", async () => {
  const { desktop, shown } = await opened();
  shown.present(ask("a1"));
  const before = await desktop.notifications.next();
  desktop.startService();
  expect(await before.ended).toBe("gone");
  expect((await desktop.notifications.next()).summary).toBe("-t &");
});

test("a service without buttons shows the open asks again after its restart", async () => {
  const { desktop, shown } = await opened({}, "no-buttons");
  shown.present(ask("a1"));
  await desktop.notifications.next();
  desktop.startService();
  expect((await desktop.notifications.next()).body).toContain("mix notify answer a1");
});

test("while there is no service nothing asks for one again and again", async () => {
  const { shown, states, timers } = await opened({}, "absent");
  shown.present(ask("a1"));
  await states.next();
  await vi.waitFor(() => expect(timers.size).toBe(0), { timeout: 10_000 });
});

test("the program that watches the service is restarted a few times when it ends, then no more, and the log says so", async () => {
  const { desktop, states } = await opened({ watchStartsMax: 3, watchRestartMs: 1 });
  for (let start = 1; start <= 3; start += 1) process.kill(await desktop.watchers.next());
  await states.next();
  expect(String(await states.next())).toContain("no longer watched");
  expect(desktop.watchers.waiting).toEqual([]);
});

test("after a restart of the watching program the screen stays as it is, unless the service is another one", async () => {
  const { desktop, shown } = await opened({ watchRestartMs: 1 });
  shown.present(ask("a1"));
  const first = await desktop.notifications.next();
  process.kill(await desktop.watchers.next());
  process.kill(await desktop.watchers.next());
  await desktop.watchers.next();
  expect(desktop.notifications.waiting).toEqual([]);
  desktop.startService();
  expect(await first.ended).toBe("gone");
  await desktop.notifications.next();
});

test("at most shownMax notifications are on the screen, and the next appears when one closes", async () => {
  const { desktop, shown } = await opened({ shownMax: 1 });
  shown.present(ask("a1"));
  shown.present(ask("a2"));
  const first = await desktop.notifications.next();
  expect(desktop.notifications.waiting).toEqual([]);
  shown.update(ask("a1"));
  expect(await first.ended).toBe("closed");
  await desktop.notifications.next();
});

test("a source that asks many questions gives a place up for another, and gets it back afterwards", async () => {
  const { desktop, shown, choices } = await opened({ shownMax: 3 });
  for (let n = 0; n < 10; n += 1) shown.present(asked(`a${n}`, "loud"));
  const newest = await notificationOf(desktop, "a2", 3);
  shown.present(asked("b", "quiet"));
  expect(await newest.ended).toBe("closed");
  (await notificationOf(desktop, "b")).press(0);
  expect(await choices.next()).toEqual(["b", "yes"]);
  (await notificationOf(desktop, "a2")).press(1);
  expect(await choices.next()).toEqual(["a2", "no"]);
});

test("a button pressed while its notification is closing to make room still answers", async () => {
  const { desktop, shown, choices } = await opened({ shownMax: 2, killAfterMs: 3_000 });
  desktop.stubborn = true;
  for (const id of ["a1", "a2"]) shown.present(asked(id, "loud"));
  const up = [await desktop.notifications.next(), await desktop.notifications.next()];
  shown.present(asked("b", "quiet"));
  up.find(({ summary }) => summary === "a2")?.press(0);
  expect(await choices.next()).toEqual(["a2", "yes"]);
  desktop.stubborn = false;
});

test("tells are shown with their sender's name, and are limited in number", async () => {
  const { desktop, shown, states } = await opened({ tellsMax: 2, tellIntervalMs: 60_000 });
  await states.next();
  expect(shown.state).toMatchObject({ there: true });
  const told = { title: "done", body: "", urgency: "critical" } as const;
  expect([1, 2, 3].map(() => shown.tell(told, "mcp-abcdef"))).toEqual([true, true, false]);
  const notification = await desktop.notifications.next();
  expect(notification.options).toContain("critical");
  expect(notification.body).toBe("from mcp-abcdef");
});

async function opened(some: Partial<Limits> = {}, service?: FakeDesktop["service"]) {
  const desktop = await fakeDesktop(service);
  const choices = new Inbox<[string, string]>();
  const states = new Inbox<unknown>();
  const timers = new Set<object>();
  const clock: Clock = {
    now: () => systemClock.now(),
    after(ms, run) {
      const timer = {};
      timers.add(timer);
      const cancel = systemClock.after(ms, () => void (timers.delete(timer) && run()));
      return () => void (timers.delete(timer) && cancel());
    },
  };
  const shown = new NotifySend(desktop.environment, {
    limits: { ...limits, ...some },
    clock,
    answer: (id, option) => choices.push([id, option]),
    logger: { info: (...said: unknown[]) => states.push(said) },
  });
  onTestFinished(() => shown.close());
  return { desktop, shown, choices, states, timers };
}

function asked(id: string, group: string): NotifyAsk {
  return { ...ask(id), group, title: id };
}

/** Waits for `count` notifications, whose programs start in any order, and returns the one with the title. */
async function notificationOf({ notifications }: FakeDesktop, title: string, count = 1): Promise<FakeNotification> {
  const up: FakeNotification[] = [];
  while (up.length < count) up.push(await notifications.next());
  const found = up.find(({ summary }) => summary === title);
  if (!found) throw new Error(`${up.map(({ summary }) => summary).join(", ")} instead of ${title}`);
  return found;
}

function ask(id: string, [yes, no] = ["yes", "no"]): NotifyAsk {
  const options = [
    { option: yes, label: yes, kind: "allow_once" },
    { option: no, label: no, kind: "reject_once" },
  ];
  return openAsk(id, { title: "-t &", body: "<b>", options });
}
