// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the built command line once, on a Bus of its own, so that what V8 compiles for a short command can be kept.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import { createBroker } from "../bus-client/broker/index.ts";
import { done, embeddedSocketPath, serveCitizen } from "../bus-client/index.ts";

/** `program` is run as `mix agent ls`, with one session to list. Rejects where it fails. */
export async function warmMix(program: string): Promise<void> {
  // Not where TMPDIR says: on a longer path the socket would not be here, but where the user's own Bus may be.
  const home = mkdtempSync("/tmp/mix-warm-");
  // Nothing of the machine's own Bus, and no flags for Node.js: V8 takes code only under the flags that it was made with.
  const env = { HOME: home, XDG_RUNTIME_DIR: home, XDG_CONFIG_HOME: home, MIXOS_ETC: home };
  const broker = createBroker();
  const agentd = serveCitizen({
    client: { url: () => broker.connectLocal() },
    service: "agent",
    version: "0",
    description: "answers one question",
    verbs: [
      { name: "agent.session.list", args: [], description: "lists", readOnly: true, handler: () => done(oneSession) },
    ],
  });
  try {
    await broker.listenUnix(embeddedSocketPath({ env, uid: process.getuid?.() ?? -1 }));
    await agentd.connect();
    await promisify(execFile)(process.execPath, [program, "agent", "ls"], { env, timeout: ranWithinMs });
  } finally {
    await agentd.stop();
    await broker.close();
    rmSync(home, { recursive: true, force: true });
  }
}

const ranWithinMs = 30_000;

const oneSession = {
  sessions: [
    {
      session: "aaaaaaaaaaaa",
      agent: "demo",
      cwd: "/",
      state: "idle",
      turns: 1,
      created_at: "2026-01-01T00:00:00.000Z",
    },
  ],
};
