// SPDX-License-Identifier: MIT OR Apache-2.0
// An editor with the official SDK's client, through `mix agent acp` and an agentd that logs everything, and with the same
// agent started by the editor itself.
import { fileURLToPath } from "node:url";
import { startDaemonProcess } from "../test/harness/daemon-process.ts";
import { makePlace, type Place } from "../test/harness/place.ts";
import { scriptedAgent } from "../test/scripted-agent/agent-files.ts";
import { commandRoundsMin, milliseconds, millisecondsOf, millisecondsToAnswer } from "./command-start.ts";
import { type Finding, findingOf, millisecondsAddedOf } from "./finding.ts";
import { type FloodReader, startFloodReader } from "./flood-reader.ts";
import { chunkFlood, textUnits } from "./floods.ts";
import { runInTurn } from "./rounds.ts";

const mixProgram = fileURLToPath(new URL("../dist/bin/mix.cjs", import.meta.url));
const pacedAgent = [process.execPath, fileURLToPath(new URL("readers/paced-agent.mjs", import.meta.url))];

type OnRound = (done: number) => void;

export async function measureFace(rounds: number, onRound: OnRound): Promise<Finding[]> {
  const { count, bytes } = chunkFlood;
  using flooder = scriptedAgent({
    rules: [{ on: "session/prompt", do: [{ flood: "chunks", count, bytes }, { reply: { stopReason: "end_turn" } }] }],
  });
  using place = makePlace({ flooder: flooder.command, paced: pacedAgent });
  await using _daemon = await startDaemonProcess(place);
  return [
    await measureDelay(place, rounds, onRound),
    await measureRate(place, flooder.command, rounds, onRound),
    await measureStart(place, rounds, onRound),
  ];
}

async function measureDelay(place: Place, rounds: number, onRound: OnRound): Promise<Finding> {
  const delayOf = (command: readonly string[]): Promise<number> =>
    withEditor(place, command, (editor) => editor.pace());
  const pair = { ours: () => delayOf(faceOf("paced")), other: () => delayOf(pacedAgent) };
  const question = {
    what: "an update through mix agent acp, median: time added",
    goal: { atMost: 2 },
    write: (value: number) => `${value.toFixed(2)} ms`,
  };
  return millisecondsAddedOf(question, await runInTurn(pair, rounds, onRound));
}

/** agentd joins chunks, so the rate is that of the agent's chunks, whose text the editor has in the end. */
async function measureRate(
  place: Place,
  flooder: readonly string[],
  rounds: number,
  onRound: OnRound,
): Promise<Finding> {
  const rateOf = async (command: readonly string[]): Promise<number> =>
    chunkFlood.count / ((await withEditor(place, command, (editor) => editor.flood())) / 1000);
  const pair = { ours: () => rateOf(faceOf("flooder")), other: () => rateOf(flooder) };
  const question = {
    what: `${chunkFlood.what} through mix agent acp: rate`,
    goal: { atLeast: 0.7 },
    write: (value: number) => `${(value / 1000).toFixed(1)}k/s`,
  };
  return findingOf(question, await runInTurn(pair, rounds, onRound));
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {}, clientInfo: { name: "bench", version: "0" } },
};

async function measureStart(place: Place, rounds: number, onRound: OnRound): Promise<Finding> {
  const [, ...face] = faceOf("paced");
  const pair = {
    ours: () => millisecondsToAnswer(face, initialize, place.environment),
    other: () => millisecondsOf(["-e", "0"], place.environment),
  };
  const question = {
    what: "mix agent acp: time to the answer to initialize, to `node -e 0`",
    goal: { atMost: 2.5 },
    write: milliseconds,
  };
  return findingOf(question, await runInTurn(pair, Math.max(rounds, commandRoundsMin), onRound));
}

function faceOf(agent: string): string[] {
  return [process.execPath, mixProgram, "agent", "acp", "--agent", agent];
}

async function withEditor<T>(
  place: Place,
  command: readonly string[],
  use: (editor: FloodReader) => Promise<T>,
): Promise<T> {
  const args = [JSON.stringify(command), place.directory(), String(textUnits(chunkFlood))];
  await using editor = await startFloodReader("editor", args, place.environment);
  return await use(editor);
}
