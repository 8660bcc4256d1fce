// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { BusClient } from "../../bus-client/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";
import { lines, objects } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("call sends numbers as numbers and text as text, and prints the reply", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa");
  const ran = await bench.run(["call", "agent", "agent.session.log", "session=sessionaaaaa", "after=0", "--json"]);
  expect(JSON.parse(ran.stdout)).toMatchObject({ schema: "mix.reply.v1", rc: 0, body: { last_seq: 1 } });
  expect(agentd.asked[0]).toEqual(["agent.session.log", { session: "sessionaaaaa", after: 0 }]);
});

test("calling a service that is not there exits 4 and says where to look", async () => {
  const ran = await bench.run(["call", "nobody", "HELP"]);
  expect(ran.code).toBe(4);
  expect(ran.stderr).toContain("mix services");
});

test("a value nested too deeply to be sent is a usage error", async () => {
  await bench.agentd();
  const ran = await bench.run(["call", "agent", "agent.status", `a=${"[".repeat(20_000)}${"]".repeat(20_000)}`]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be sent") as string });
});

test("help lists a service's verbs, and services lists the service", async () => {
  await bench.agentd();
  expect((await bench.run(["help", "agent"])).stdout).toContain("agent.session.start");
  expect(lines((await bench.run(["services", "-q"])).stdout)).toContain("agent");
});

test("help starts agentd if none runs, and starts nothing for another service", async () => {
  const agent = await bench.run(["help", "agent"]);
  expect(agent.code).toBe(6);
  expect(agent.stderr).toContain("its program is missing");
  const other = await bench.run(["help", "other"]);
  expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining("no service other") as string });
});

test.each(["words", "{}"])("help exits 1 with a message if the service answers %s instead of a list", async (body) => {
  const odd = new BusClient({
    url: bench.url,
    name: "odd",
    onCommand: (command) => command.reply(0, body),
  });
  await odd.connect();
  const ran = await bench.run(["help", "odd"]);
  await odd.stop();
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("is not a list") as string });
});

test("listen that times out says so, and whether deliveries were missing", async () => {
  const listen = ["listen", "weather", "--timeout", "10ms"];
  expect(await bench.run(listen)).toMatchObject({ code: 3, stderr: "TIME_LIMIT: the time is up\n" });
  const counted = await bench.run([...listen, "--count", "2"]);
  expect(counted).toMatchObject({ code: 3, stderr: "TIME_LIMIT: fewer than 2 deliveries came in time\n" });
});

test("listen --count prints that many deliveries and ends", async () => {
  const agentd = await bench.agentd();
  const running = bench.start(["listen", "weather", "--count", "2", "--json"]);
  const { client } = agentd.citizen;
  // Publishes until the subscription exists, because nothing announces it.
  const isHeard = async (): Promise<boolean> => {
    const reply = await client.publishAndConfirm("weather", JSON.stringify({ sun: true }));
    return (JSON.parse(reply.body) as { delivered: number }).delivered > 0;
  };
  while (!(await isHeard()));
  await isHeard();
  const ran = await running.ended;
  expect(ran.code).toBe(0);
  expect(objects(ran.stdout).map(({ body }) => body)).toEqual([{ sun: true }, { sun: true }]);
});

test("a subscription that the Bus refuses is an error with a code, not a crash", async () => {
  const ran = await bench.run(["listen", "secrets.props.audit"]);
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toMatch(/^[A-Z_]+: /);
  expect(ran.stderr).not.toContain("    at ");
});

test("numbers in arguments, replies and deliveries keep their exact digits", async () => {
  const numbers = '{"id":1193820475610234881,"weight":1e400,"zero":-0,"rate":1.10}';
  const given: string[] = [];
  const service = new BusClient({
    url: bench.url,
    name: "numbers",
    onCommand: (command) => {
      given.push(command.body);
      command.reply(0, numbers);
    },
  });
  await service.connect();
  try {
    const called = await bench.run([
      "call",
      "numbers",
      "numbers.take",
      `in=${numbers}`,
      "id=1193820475610234881",
      "--json",
    ]);
    expect(given).toEqual([`{"in":${numbers},"id":1193820475610234881}`]);
    expect(called.stdout.replaceAll(/\s/g, "")).toContain(`"body":${numbers}`);
    const listening = bench.start(["listen", "numbers.topic", "--count", "1", "--json"]);
    await expect
      .poll(async () => {
        await service.publishAndConfirm("numbers.topic", numbers);
        return (await Promise.race([listening.ended, Promise.resolve(undefined)]))?.stdout;
      })
      .toContain(`"body":${numbers}`);
  } finally {
    await service.stop();
  }
});
