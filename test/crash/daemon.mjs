// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd as it is built, told by its parent at which of its failpoints, and at the how manyth reach of it, it dies:
// by SIGKILL, in the middle of what it does there. Arguments: its limits as JSON; then, to be armed before it starts, a
// point and a number.
import { homedir } from "node:os";
import { pino } from "pino";
import { startDaemon } from "../../dist/agentd/daemon.js";
import { instancePaths, prepareStateDirectory } from "../../dist/agentd/instance/paths.js";

const limits = JSON.parse(process.argv[2]);
let armed = process.argv[3];
let left = Number(process.argv[4]);
let reached = {};

function failpoint(point) {
  reached[point] = (reached[point] ?? 0) + 1;
  if (point !== armed) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

process.on("message", (message) => {
  if (message.ask === "arm") {
    armed = message.point;
    left = message.nth;
    reached = {};
  }
  process.send({ told: message.ask, reached });
});
// A parent that is gone will ask for nothing more.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

const uid = process.getuid();
const home = homedir();
const { paths } = instancePaths(process.env, home);
prepareStateDirectory(paths, uid);
const environment = { ...process.env };
delete environment.NODE_CHANNEL_FD;
delete environment.NODE_CHANNEL_SERIALIZATION_MODE;
const daemon = await startDaemon({
  paths,
  environment,
  home,
  uid,
  version: "0.0.0-test",
  logger: pino({ level: "silent" }),
  limits,
  failpoint,
});
await daemon.ready;
process.send({ told: "ready", busUrl: daemon.busUrl() });
