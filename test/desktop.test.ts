// SPDX-License-Identifier: MIT OR Apache-2.0
// People who are asked on a real desktop: agentd, the built notifyd, and a real notification service under an X server
// in memory. Skipped where these programs are not installed, unless AGENTD_TEST_DESKTOP is "required".
// @module-tag slow
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { ofKind, onPrompt, openScene, question, turnEnd } from "./cases/scene.ts";
import { startNotifydProcess } from "./harness/notifyd-process.ts";
import {
  desktopServices,
  type DesktopService,
  type ShownNotification,
  startVirtualDesktop,
  whyNoDesktop,
} from "./harness/virtual-desktop.ts";

const command = "npm run build && npm test | tee 'out & err.txt'";

test.for(desktopServices)(
  "%s shows the whole command, and the button that is pressed is the answer",
  async (service, { skip }) => {
    skipUnlessInstalled(service, skip);
    const stage = await open(service);
    for (const [label, option] of [
      ["Allow once", "allow"],
      ["Reject once (No, thanks)", "reject"],
    ] as const) {
      const { turn, shown } = await stage.ask();
      expect(shown.summary).toBe("scripted (tests) asks to execute");
      expect(textOf(shown)).toContain(command);
      expect(textOf(shown)).toContain(`\nin ${stage.directory}\n`);
      expect(shown.buttons).toEqual(["Allow once", "Allow always", "Reject once (No, thanks)"]);
      await shown.press(label);
      await turnEnd(stage.user, stage.session, turn);
      expect(await stage.resolution(turn)).toMatchObject({ option, via: "notify", by: "notify" });
    }
  },
);

test.for(desktopServices)("%s takes a question away that is answered elsewhere", async (service, { skip }) => {
  skipUnlessInstalled(service, skip);
  const stage = await open(service);
  const { turn, request } = await stage.ask();
  await stage.mix("agent", "permit", "allow", request);
  await stage.desktop.closed.next();
  await turnEnd(stage.user, stage.session, turn);
  expect(await stage.resolution(turn)).toMatchObject({ option: "allow", by: expect.stringMatching(/^mix-/u) });
});

test.for(desktopServices)(
  "%s shows an open question again when it is killed and comes back",
  async (service, { skip }) => {
    skipUnlessInstalled(service, skip);
    const stage = await open(service);
    const { turn, shown } = await stage.ask();
    await stage.desktop.killService();
    stage.desktop.startService();
    const again = await stage.desktop.shown.next();
    expect([again.summary, again.body, again.buttons]).toEqual([shown.summary, shown.body, shown.buttons]);
    await again.press("Allow once");
    await turnEnd(stage.user, stage.session, turn);
    expect(await stage.resolution(turn)).toMatchObject({ option: "allow", via: "notify", by: "notify" });
    expect(stage.desktop.shown.waiting).toEqual([]);
  },
);

function skipUnlessInstalled(service: DesktopService, skip: (why: string) => never): void {
  const why = whyNoDesktop(service);
  if (why === undefined) return;
  if (process.env["AGENTD_TEST_DESKTOP"] === "required") throw new Error(why);
  skip(why);
}

/** Breaks in long words are not seen. */
function textOf({ body }: ShownNotification): string {
  const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
  return body.replaceAll("\u200b", "").replace(/&\w+;/gu, (entity) => entities[entity] ?? entity);
}

/** An agent that asks for the command at each prompt, in a session in a long directory. What was started last ends first. */
async function open(service: DesktopService) {
  const toolCall = { title: command, kind: "execute", rawInput: { command } };
  const options = [
    { optionId: "allow", name: "Allow", kind: "allow_once" },
    { optionId: "always", name: "Always Allow", kind: "allow_always" },
    { optionId: "reject", name: "No, thanks", kind: "reject_once" },
  ];
  const scene = await openScene({
    scripted: onPrompt({ permission: { toolCall, options } }, { reply: { stopReason: "end_turn" } }),
  });
  const { place, user } = scene;
  onTestFinished(() => scene[Symbol.asyncDispose]());
  const desktop = await startVirtualDesktop(place, service);
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const notifyd = await startNotifydProcess(desktop.environment);
  onTestFinished(() => notifyd[Symbol.asyncDispose]());
  await notifyd.says("questions are shown on the desktop");
  const directory = place.directory("repositories/a-server");
  const session = await scene.idle({ cwd: directory, name: "tests" });
  let turn = 0;
  return {
    desktop,
    directory,
    session,
    user,
    async ask() {
      turn += 1;
      await user.prompt(session, "go");
      const { request } = await question(user, session, turn);
      return { turn, request, shown: await desktop.shown.next() };
    },
    resolution: async (nth: number) =>
      ofKind(await user.log(session), "permission").filter(({ phase }) => phase === "resolved")[nth - 1],
    mix: (...words: string[]) =>
      promisify(execFile)(process.execPath, [mixProgram, ...words], { env: place.environment }),
  };
}

const mixProgram = fileURLToPath(new URL("../dist/bin/mix.cjs", import.meta.url));
