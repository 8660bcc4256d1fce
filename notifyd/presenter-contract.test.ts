// SPDX-License-Identifier: MIT OR Apache-2.0
import { NotifySend } from "./desktop/notify-send.ts";
import { fakeDesktop } from "./testing/fake-desktop.ts";
import { FakePresenter } from "./testing/fake-presenter.ts";
import { presenterContract } from "./testing/presenter-contract.ts";

presenterContract("a fake presenter", async () => {
  let fake: FakePresenter | undefined;
  let isHanging = false;
  return {
    create(host) {
      fake = new FakePresenter(host);
      if (isHanging) fake.fault = "hangs";
      return fake;
    },
    next: () => fake?.shown.next() ?? Promise.reject(new Error("there is no presenter yet")),
    hang: () => (isHanging = true),
  };
});

presenterContract("the desktop", async () => {
  const desktop = await fakeDesktop();
  return {
    create: (host) => new NotifySend(desktop.environment, host),
    async next() {
      const shown = await desktop.notifications.next();
      const { summary, body, buttons, ended } = shown;
      return { text: `${summary}\n${body}`, choices: buttons, choose: (index) => shown.press(index), over: ended };
    },
    hang: () => (desktop.service = "silent"),
  };
});
