// SPDX-License-Identifier: MIT OR Apache-2.0
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createBroker } from "../../bus-client/broker/index.ts";
import type { BusClientState } from "../../bus-client/index.ts";
import { streamSink } from "../../display/stream-sink.ts";
import { TextOutput } from "../../display/text-output.ts";
import { connectCitizen } from "./citizen-connection.ts";
import type { Context } from "../process/context.ts";
import { Output } from "../process/output.ts";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("a warning of discovery is shown once, however often the Bus is looked for", async () => {
  const file = join(bench.directory, "node.conf.mix");
  writeFileSync(file, "not a configuration");
  // Exit code 75 says that another agentd is starting, which is waited for.
  writeFileSync(join(bench.directory, "no-agentd.mjs"), "process.exit(75);");
  const running = bench.start(["agent", "ls", "-q"], {
    env: {
      MIXOS_NODED_URL: "",
      MIXOS_NODE_CONFIG: file,
      XDG_RUNTIME_DIR: bench.directory,
      AGENTD_STATE_DIR: join(bench.directory, "state"),
    },
  });
  await running.shows("starting agentd");
  (await bench.agentd()).begin("sessionaaaaa");
  await bench.broker.listenUnix(join(bench.directory, "mixos", "bus.sock"));
  const ran = await running.ended;
  expect(ran).toMatchObject({ code: 0, stdout: "sessionaaaaa\n" });
  expect(ran.stderr.split("\n").filter((line) => line.startsWith("warning: "))).toHaveLength(1);
});

test("if the Bus is no longer found, its old address is not dialled", async () => {
  const file = join(bench.directory, "node.conf.mix");
  const away = createBroker();
  const port = await away.listenTcp(0);
  writeFileSync(file, `{ noded: { port: ${port} } }`);
  const context = {
    env: { MIXOS_NODE_CONFIG: file, XDG_RUNTIME_DIR: bench.directory },
    uid: process.getuid!(),
    home: bench.directory,
    version: "0",
    random: Math.random,
  } as unknown as Context;
  const nowhere = new TextOutput(streamSink(new PassThrough()));
  const output = new Output({ stdout: nowhere, stderr: nowhere }, "ids");
  const bus = await connectCitizen(context, output, { target: "bus", autostart: false });
  const failed = new Promise<BusClientState>((resolve) => {
    bus.client.onState((state) => {
      if (state.kind === "disconnected" && state.cause.code === "DIAL_FAILED") resolve(state);
    });
  });
  rmSync(file);
  await away.close();
  let guests = 0;
  const stranger = createServer((socket) => {
    guests += 1;
    socket.destroy();
  });
  stranger.listen(port, "127.0.0.1");
  await once(stranger, "listening");
  expect(await failed).toMatchObject({ cause: { message: expect.stringContaining("no longer found") } });
  await bus.close();
  expect(guests).toBe(0);
  stranger.close();
  await once(stranger, "close");
});
