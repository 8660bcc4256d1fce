// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { ClientQuirks } from "./client-quirks.ts";
import { type ClientUnderTest, opened, textChunk, underTest } from "./testing/client-under-test.ts";

const modes = { currentModeId: "default", availableModes: ["default", "plan"].map((id) => ({ id, name: id })) };

function withQuirks(quirks: ClientQuirks, session: object = { modes }): ClientUnderTest {
  return opened({}, session, { quirksOf: () => quirks });
}

test("a message that tells the mode is a change of mode", () => {
  const { agent, updates } = withQuirks({ modeMessagePrefix: "[MODE_UPDATE] " });
  agent.say(textChunk("[MODE_UPDATE] plan"));
  expect(updates()).toMatchObject([{ kind: "options", options: [{ option: "mode", value: "plan" }] }]);
});

test("so it is for an agent that has told no modes: no message, but kept as received", () => {
  const { agent, updates } = withQuirks({ modeMessagePrefix: "[MODE_UPDATE] " }, {});
  agent.say(textChunk("[MODE_UPDATE] plan"));
  expect(updates()).toMatchObject([{ kind: "extension", method: "session/update:agent_message_chunk" }]);
});

test.each([
  ["is only quoted", "[MODE_UPDATE] ", "It says [MODE_UPDATE] plan"],
  ["goes on", "[MODE_UPDATE] ", "[MODE_UPDATE] plan is how it tells the mode"],
  ["is another agent's", undefined, "[MODE_UPDATE] plan"],
  ["is configured away", "", "plan"],
])("a text that %s is a message", (_, modeMessagePrefix, text) => {
  const { agent, updates } = withQuirks(modeMessagePrefix === undefined ? {} : { modeMessagePrefix });
  agent.say(textChunk(text));
  expect(updates()).toMatchObject([{ kind: "message", content: { text } }]);
});

test("an agent is stopped after its own grace, and is told apart by what it calls itself", async () => {
  const quirksOf = (info: { readonly name: string } | null) => (info?.name === "deaf" ? { stopGraceMs: 0 } : {});
  const graceOf = async (name: string): Promise<number | undefined> => {
    const { agent, client, done } = underTest({ quirksOf });
    client.initialize(done("initialize"));
    agent.say(agent.answer("initialize", { protocolVersion: 1, agentInfo: { name, version: "1" } }));
    await client.stop();
    return agent.stopLimits?.stdinGraceMs;
  };
  expect([await graceOf("deaf"), await graceOf("good")]).toEqual([0, undefined]);
});
