// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { kinds } from "./testing/entry-kinds.ts";
import { SessionScript } from "./testing/session-script.ts";

test("a name is given and taken away in any state, and changes neither the state nor a turn", () => {
  const script = new SessionScript();
  for (const prepare of [() => {}, () => script.up(), () => script.prompt("one")]) {
    prepare();
    const { run } = script.state;
    const entries = script.command("agent.session.rename", { name: "new" });
    expect(kinds(entries)).toEqual(["command", "info", "reply"]);
    expect(entries[1]).toEqual({ kind: "info", name: "new" });
    expect(script.state).toMatchObject({ name: "new", run });
  }
  script.exits(1);
  const before = script.state.run;
  const [, info, reply] = script.command("agent.session.rename", { name: "" });
  expect(info).toEqual({ kind: "info", name: null });
  expect(reply).toMatchObject({ rc: 0, body: { name: "" } });
  expect(script.state).not.toHaveProperty("name");
  expect(script.state.run).toEqual(before);
});
