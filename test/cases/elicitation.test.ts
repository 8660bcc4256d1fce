// SPDX-License-Identifier: MIT OR Apache-2.0
// What agents want to be told, from their frame to the answer that they get.
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import type { Json, JsonObject, Step } from "../scripted-agent/scenario.ts";
import type { ElicitationListReply } from "../../agentd/vocabulary/index.ts";
import type { BusUser } from "../harness/bus-user.ts";
import { type EntryOf, makeCast, ofKind, openScene, type Scene, startWatched, stateOf, turnEnd } from "./scene.ts";

const endTurn: Step = { reply: { stopReason: "end_turn" } };
const schema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2 },
    level: { type: "integer", default: 3 },
    tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
  },
  required: ["name"],
};
const form = { mode: "form", message: "Who are you?", requestedSchema: schema };
const address = { mode: "url", message: "Log in", elicitationId: "e1", url: "https://login.example/?next=%2F" };

const elicits = (params: JsonObject, more: object = {}): Step => ({
  request: "elicitation/create",
  params: { sessionId: "$sessionId", ...params } as Json,
  ...more,
});

function asking(...steps: Step[]) {
  return { scripted: { rules: [{ on: "session/prompt", do: [...steps, endTurn] }] } };
}

/** What the agent got for its own requests, in order. */
function answers(scene: Pick<Scene, "agent">): unknown[] {
  return scene
    .agent()
    .received()
    .filter(({ method }) => method === undefined)
    .filter(({ result, error }) => result !== undefined || error !== undefined)
    .map(({ result, error }) => result ?? (error as JsonObject)["code"]);
}

async function asked(user: BusUser, session: string, nth = 1): Promise<EntryOf<"elicitation">> {
  return await user.entry<EntryOf<"elicitation">>(
    session,
    (entry) => entry.kind === "elicitation" && entry.phase === "requested" && entry.request === `${session}-${nth}`,
  );
}

async function phases(user: BusUser, session: string): Promise<string[]> {
  return ofKind(await user.log(session), "elicitation").map(({ phase, outcome }) => outcome ?? phase);
}

test("a form is advertised, asked, listed, held to its schema, and answered with what the log then has", async () => {
  await using scene = await openScene(asking(elicits(form)));
  const { user } = scene;
  const session = await scene.idle();
  const initialize = scene
    .agent()
    .received()
    .find(({ method }) => method === "initialize");
  expect(initialize).toMatchObject({ params: { clientCapabilities: { elicitation: { form: {}, url: {} } } } });
  await user.prompt(session, "go");
  const { request } = await asked(user, session);
  const { requests } = await user.call<ElicitationListReply>("agent.elicitation.list", { session });
  expect(requests).toMatchObject([{ request, mode: "form", message: "Who are you?", schema }]);
  expect(await user.get(session)).toMatchObject({ state: "waiting", requests: [{ kind: "elicitation", request }] });
  expect(await user.call("agent.permission.list", {})).toEqual({ requests: [] });

  const wrong: [object, string][] = [
    [{}, "content.name"],
    [{ content: { name: "x" } }, "content.name"],
    [{ content: { name: "Ann", level: 1.5 } }, "content.level"],
    [{ content: { name: "Ann", tags: ["c"] } }, "content.tags"],
    [{ content: { name: "Ann", age: 5 } }, "content.age"],
  ];
  for (const [content, field] of wrong) {
    const refused = await user.refusal("agent.elicitation.answer", { request, action: "accept", ...content });
    expect(refused).toMatchObject({ code: "ARGUMENT", body: { field } });
  }
  const declined = await user.refusal("agent.elicitation.answer", {
    request,
    action: "decline",
    content: { name: "Ann" },
  });
  expect(declined).toMatchObject({ code: "ARGUMENT", body: { field: "content" } });

  const written = { name: "Ann", tags: ["b"] };
  const given = { request, action: "accept" as const, content: written, command_id: "once" };
  const reply = await user.call("agent.elicitation.answer", given);
  expect(reply).toMatchObject({ request, outcome: "accept", command_id: "once" });
  await turnEnd(user, session);
  expect(await user.call("agent.elicitation.answer", given)).toEqual(reply);
  const content = { name: "Ann", level: 3, tags: ["b"] };
  expect(answers(scene)).toEqual([{ action: "accept", content }]);
  const log = await user.log(session);
  expect(ofKind(log, "elicitation").map(({ phase }) => phase)).toEqual(["requested", "resolved", "sent"]);
  expect(ofKind(log, "elicitation")[1]).toMatchObject({ outcome: "accept", content });
  const command = ofKind(log, "command").find(({ verb }) => verb === "agent.elicitation.answer");
  expect(command?.args).toEqual({ request, action: "accept" });
});

test("a required field is filled in whatever its name, and half a character is refused with words", async () => {
  const odd = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}') as JsonObject;
  await using scene = await openScene(asking(elicits({ ...form, requestedSchema: odd })));
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const { request } = await asked(user, session);
  const given = (value: unknown) => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`) as Record<string, string>;
  const accept = (value: unknown) => ({ request, action: "accept" as const, content: given(value) });
  for (const [value, words] of [
    ["a\ud800", "half a character"],
    [null, "a string"],
  ] as const) {
    const refused = await user.refusal("agent.elicitation.answer", accept(value));
    expect(refused).toMatchObject({ code: "ARGUMENT", body: { field: "content.__proto__" } });
    expect(refused.message).toContain(words);
  }
  await user.call("agent.elicitation.answer", accept("Ann"));
  await turnEnd(user, session);
  expect(JSON.stringify(answers(scene))).toBe('[{"action":"accept","content":{"__proto__":"Ann"}}]');
});

test("an address is shown whole and accepted bare; that it was dealt with is an extension, for an unknown one nothing", async () => {
  const complete = (elicitationId: string): Step => ({ notify: "elicitation/complete", params: { elicitationId } });
  await using scene = await openScene(asking(elicits(address), complete("e1"), complete("e2")));
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const { request, url, elicitation_id: id } = await asked(user, session);
  expect([url, id]).toEqual([address.url, "e1"]);
  const refused = await user.refusal("agent.elicitation.answer", { request, action: "accept", content: {} });
  expect(refused.body["field"]).toBe("content");
  await user.call("agent.elicitation.answer", { request, action: "accept" });
  await turnEnd(user, session);
  expect(answers(scene)).toEqual([{ action: "accept" }]);
  expect(ofKind(await user.log(session), "extension").map(({ data }) => data)).toEqual([{ elicitationId: "e1" }]);
});

test("what is no web address, no session's, or half a form is refused and asked of nobody", async () => {
  await using scene = await openScene(
    asking(
      elicits({ ...address, url: "file:///etc/passwd" }),
      elicits({ ...form, sessionId: undefined, requestId: 0 }),
      elicits({ mode: "form", message: "?" }),
      elicits({ mode: "telepathy", message: "?" }),
    ),
  );
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await turnEnd(user, session);
  expect(answers(scene)).toEqual([-32602, -32602, -32602, -32602]);
  expect(await phases(user, session)).toEqual([]);
});

test("an elicitation that is not answered in time, or whose turn is cancelled, is cancelled, and the agent hears so", async () => {
  const clock = new ManualClock();
  await using scene = await openScene(asking(elicits(form)), { clock, settings: 'permission_timeout = "5m"' });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "one");
  await asked(user, session, 1);
  clock.advance(300_000);
  await turnEnd(user, session, 1);
  const late = { request: `${session}-1`, action: "accept", content: { name: "Ann" } } as const;
  expect(await user.refusal("agent.elicitation.answer", late)).toMatchObject({
    code: "REQUEST_CLOSED",
    body: { via: "timeout", outcome: "cancel" },
  });
  await user.prompt(session, "two");
  await asked(user, session, 2);
  await user.call("agent.session.cancel", { session });
  await turnEnd(user, session, 2);
  expect(answers(scene)).toEqual([{ action: "cancel" }, { action: "cancel" }]);
  expect(await phases(user, session)).toEqual(["requested", "cancel", "sent", "requested", "cancel", "sent"]);
});

test("an elicitation that its agent takes back, or leaves behind by ending, is closed once and never accepted", async () => {
  await using scene = await openScene({
    scripted: (directory) => ({
      rules: [
        {
          on: "session/prompt",
          do: [
            elicits(form, { id: "taken", await: false }),
            elicits(form, { id: "left", await: false }),
            { waitForFile: `${directory}/go` },
            { notify: "$/cancel_request", params: { requestId: "taken" } },
            { waitForFile: `${directory}/end` },
            { exit: 1 },
          ],
        },
      ],
    }),
  });
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  await asked(user, session, 2);
  writeFileSync(`${scene.agent().directory}/go`, "");
  const withdrawn = await user.entry<EntryOf<"elicitation">>(
    session,
    (entry) => entry.kind === "elicitation" && entry.phase === "resolved",
  );
  expect(withdrawn).toMatchObject({ request: `${session}-1`, outcome: "cancel", via: "agent" });
  writeFileSync(`${scene.agent().directory}/end`, "");
  await stateOf(user, session, "lost");
  const log = ofKind(await user.log(session), "elicitation").map(({ request, phase, via }) => [request, phase, via]);
  expect(log.slice(2)).toEqual([
    [`${session}-1`, "resolved", "agent"],
    [`${session}-2`, "resolved", "end"],
  ]);
  expect(answers(scene)).toEqual([{ action: "cancel" }]);
});

test("an elicitation that is open when agentd dies is cancelled by the next one, and a session's policy is still its own", async () => {
  using cast = makeCast(asking(elicits(form)), {
    settings: `[policies.reading]\nallow_once = [{ kinds = ["read"], within = "session" }]\n`,
  });
  const first = await startWatched(cast.place);
  const { user } = first;
  await using dying = first.daemon;
  const start = { agent: "scripted", cwd: cast.place.directory(), policy: "reading", prompt: "go" };
  const session = await user.start(start);
  await asked(user, session);
  dying.child.kill("SIGKILL");
  await dying.exited;
  const second = await startWatched(cast.place);
  await using _ = second.daemon;
  const log = ofKind(await second.user.log(session), "elicitation");
  expect(log).toMatchObject([{ phase: "requested" }, { phase: "resolved", outcome: "cancel", via: "restart" }]);
  const late = await second.user.refusal("agent.elicitation.answer", { request: `${session}-1`, action: "accept" });
  expect(late.code).toBe("REQUEST_CLOSED");
  expect(await second.user.get(session)).toMatchObject({ state: "lost", policy: "reading" });
});
