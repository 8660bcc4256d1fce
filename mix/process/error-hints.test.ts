// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { errorHints } from "./error-hints.ts";
import { MixError } from "./mix-error.ts";

test.each([
  ["AGENT_BUSY", "mix agent send --queue"],
  ["AGENT_LIMIT", "mix agent close"],
  ["ASK_UNKNOWN", "mix notify ls"],
  ["REQUEST_UNKNOWN", "mix agent permit ls"],
  ["SESSION_UNKNOWN", "mix agent ls --all"],
])("the hint for %s names the verb that helps", (code, verb) => {
  const hints = errorHints(new MixError(code, "when_busy: queue, agent.session.list, fresh"));
  expect(hints).toEqual([expect.stringContaining(`\`${verb}`)]);
});

test("details of a refusal are shown unless its message has them, and a message that names a mix verb gets no hint", () => {
  const install = new MixError("AGENT_UNAVAILABLE", "not there", { details: { install: "npm i x" } });
  expect(errorHints(install)).toEqual(["to install it: npm i x"]);
  expect(errorHints(new MixError("AGENT_UNAVAILABLE", "npm i x", { details: { install: "npm i x" } }))).toEqual([]);
  const available = new MixError("UNKNOWN_COMMAND", "no such verb", { details: { available: ["a", 1, "b"] } });
  expect(errorHints(available)).toEqual(["there are: a, b"]);
  const value = new MixError("OPTION_UNKNOWN", '"mode" has no value "plan"', { details: { values: ["auto", "ask"] } });
  expect(errorHints(value)).toEqual(["there are: auto, ask"]);
  const option = new MixError("OPTION_UNKNOWN", 'demo offers no option "mood"', { details: { options: ["mode"] } });
  expect(errorHints(option)).toEqual(["there are: mode"]);
  const listed = new MixError("UNKNOWN_COMMAND", "none (there are: get, set)", {
    details: { available: ["get", "set"] },
  });
  expect(errorHints(listed)).toEqual([]);
  expect(errorHints(new MixError("REQUEST_UNKNOWN", "no request; `mix agent answer` lists them"))).toEqual([]);
  expect(errorHints(new MixError("toString", "x"))).toEqual([]);
});
