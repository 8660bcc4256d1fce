// SPDX-License-Identifier: MIT OR Apache-2.0
// What the tests of one client share: an agentd with the demo agent and OpenCode behind it, and clients that drive it
// through `mix agent acp`.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { SessionListReply } from "../../agentd/vocabulary/index.ts";
import type { ConfigurableEditor } from "../../mix/verbs/acp-config.ts";
import { remainingProcesses } from "../agents/agent-processes.ts";
import { startDeadlineMs } from "../agents/agent-session.ts";
import { openWorkshop, type Workshop } from "../agents/workshop.ts";
import { editorsInstallation } from "./installation.ts";
import { RunningEditor } from "./running-editor.ts";

/** How the driver of a client starts. */
export interface DriverProgram {
  readonly words: readonly [string, ...string[]];
  /** Configured by what `mix agent acp --print-config` prints for it, as EDITOR_CONFIG. */
  readonly config?: ConfigurableEditor;
  readonly env?: Readonly<Record<string, string>>;
}

export interface EditorSetting {
  /** From the first test on. */
  readonly workshop: Workshop;
  /** The client in a directory, with an agent behind; default: the demo agent. */
  start(cwd: string, agent?: string): Promise<RunningEditor>;
  /** Expects that of the clients and of all that they started nothing runs any more. */
  expectNothingLeft(): Promise<void>;
}

const mixProgram = fileURLToPath(new URL("../../dist/bin/mix.cjs", import.meta.url));
/** Of what a client starts; Neovim was seen to take two seconds. */
const endDeadlineMs = 10_000;

/** To be called where tests are declared. */
export function prepareEditorSetting(driver: DriverProgram): EditorSetting {
  const marker = { name: "REAL_EDITOR_TEST", value: randomUUID() };
  let opened: Workshop | undefined;
  let started = 0;
  const workshop = (): Workshop => {
    if (opened === undefined) throw new Error("the workshop is open while tests run");
    return opened;
  };
  const remaining = (deadlineMs: number) => remainingProcesses(`${marker.name}=${marker.value}`, [], deadlineMs);

  beforeAll(async () => {
    opened = await openWorkshop("opencode");
  }, startDeadlineMs);
  // Sessions outlive their editor, and only so many may be live.
  afterEach(async () => {
    const { user } = workshop();
    const live = ["starting", "idle", "running", "waiting"] as const;
    const { sessions } = await user.call<SessionListReply>("agent.session.list", { state: [...live] });
    await Promise.all(sessions.map(({ session }) => user.call("agent.session.close", { session })));
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
  });

  return {
    get workshop() {
      return workshop();
    },
    async start(cwd, agent = "demo") {
      const { place } = workshop();
      const faceWords = ["agent", "acp", "--agent", agent];
      const env = {
        ...place.environment,
        ...driver.env,
        [marker.name]: marker.value,
        EDITOR_MODULES: editorsInstallation.into,
        EDITOR_AGENT: JSON.stringify([process.execPath, mixProgram, ...faceWords]),
        ...(driver.config !== undefined && {
          EDITOR_CONFIG: await printedConfig([...faceWords, "--print-config", driver.config]),
        }),
      };
      return await RunningEditor.start({
        words: driver.words,
        env,
        cwd,
        socket: join(place.home, `editor-${(started += 1)}`),
      });
    },
    async expectNothingLeft() {
      expect(await remaining(endDeadlineMs)).toEqual([]);
    },
  };
}

async function printedConfig(words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [mixProgram, ...words])).stdout;
}
