// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import { Leases, type LeaseRequest, type Left } from "./leases.ts";

const limits = { leasesMax: 3, leaseCheckMs: 15_000, leaseGraceMs: 2_000, leaseRejoinMs: 10_000 };

/** Leases over a Bus whose list of registrations the test says: the incarnation of each name. */
function open() {
  const clock = new ManualClock();
  const attached: string[] = [];
  const left: Left[] = [];
  let registered: Readonly<Record<string, string>> = {};
  let notice = (): void => {};
  let lists = 0;
  const leases = new Leases({
    bus: {
      call: async () => {
        lists += 1;
        const services = Object.entries(registered).map(([name, incarnation]) => ({
          name,
          meta: { registration_incarnation: incarnation },
        }));
        return { rc: 0, headers: {}, body: JSON.stringify(services) };
      },
      subscribe: async (_, listener) => {
        notice = listener;
      },
    },
    after: (ms, run) => clock.after(ms, run),
    limits,
    onAttached: (session) => void attached.push(session),
    onLeft: (one) => void left.push(one),
    onError: (error) => {
      throw error;
    },
  });
  leases.onBus(true);
  /** Lets what waits for a list go on. */
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  /** Without a notice, if it is lost. */
  const registrations = async (now: Readonly<Record<string, string>>, isNoticed = true): Promise<void> => {
    registered = now;
    if (isNoticed) notice();
    await settled();
  };
  return {
    leases,
    clock,
    attached,
    left,
    /** Those whose turns are to be cancelled. */
    cancelled: () => left.filter(({ cancelsTurns }) => cancelsTurns).map(({ citizen }) => citizen),
    lists: () => lists,
    settled,
    attach: (citizen: string, more: Partial<LeaseRequest> = {}) =>
      leases.attach({ session: "s", citizen, offers: ["fs.read"], keepRunning: false, ...more }),
    registrations,
    reader: () => leases.find("s", "fs.read")?.citizen,
  };
}

test("a program that leaves is not asked any more, and has left when its grace is over", async () => {
  const { attach, registrations, reader, clock, cancelled } = open();
  await registrations({ a: "1", b: "1" });
  attach("a");
  attach("b");
  await registrations({ a: "1", b: "1" });
  expect(reader()).toBe("b");
  await registrations({ a: "1" });
  expect(reader()).toBe("a");
  clock.advance(1_999);
  expect(cancelled()).toEqual([]);
  clock.advance(1);
  expect(cancelled()).toEqual(["b"]);
});

test("another registration of the name is another program, until it attaches itself", async () => {
  const { leases, attach, registrations, reader, clock, cancelled } = open();
  await registrations({ a: "1" });
  attach("a");
  await registrations({ a: "1" });
  const ended = leases.find("s", "fs.read")?.ended;
  await registrations({ a: "2" });
  expect(reader()).toBeUndefined();
  attach("a", { offers: ["fs.read", "fs.write"] });
  await registrations({ a: "2" });
  clock.advance(2_000);
  expect([cancelled(), ended?.aborted, leases.find("s", "fs.write")?.citizen]).toEqual([[], false, "a"]);
});

test("a lost notice is made good, and nothing is looked up without leases", async () => {
  const { leases, attach, registrations, settled, clock, cancelled, lists } = open();
  await registrations({ a: "1" });
  clock.advance(60_000);
  expect(lists()).toBe(0);
  attach("a");
  await registrations({ a: "1" });
  await registrations({}, false);
  clock.advance(15_000);
  await settled();
  clock.advance(2_000);
  expect(cancelled()).toEqual(["a"]);
  const before = lists();
  clock.advance(60_000);
  await settled();
  expect(lists()).toBe(before);
  expect(leases.detach("s", "a")).toBe(false);
});

test("after agentd was off the Bus, programs have the time to come back before they count as gone", async () => {
  const { leases, attach, registrations, settled, clock, cancelled, reader } = open();
  await registrations({ a: "1", b: "1" });
  attach("a");
  attach("b");
  await registrations({ a: "1", b: "1" });
  await registrations({ a: "1" });
  leases.onBus(false);
  clock.advance(60_000);
  await registrations({});
  leases.onBus(true);
  await registrations({});
  clock.advance(9_999);
  expect([cancelled(), reader()]).toEqual([[], "b"]);
  await registrations({ a: "2" });
  attach("a");
  clock.advance(1);
  await settled();
  clock.advance(2_000);
  expect([cancelled(), reader()]).toEqual([["b"], "a"]);
});

test("a list that was read before a program attached says nothing of it", async () => {
  const { attach, registrations, reader, settled, clock, cancelled } = open();
  attach("other");
  // The list is under way.
  void registrations({ other: "1" });
  attach("a");
  await registrations({ other: "1", a: "1" });
  await settled();
  clock.advance(2_000);
  expect([cancelled(), reader()]).toEqual([[], "a"]);
});

test("leases have a limit, but not the same program again, and all end with their session", () => {
  const { leases, attach, left } = open();
  expect(["a", "b", "c", "d", "a"].map((name) => attach(name))).toEqual([true, true, true, false, true]);
  const ended = leases.find("s", "fs.read")?.ended;
  leases.endSession("s");
  expect([ended?.aborted, leases.find("s", "fs.read"), left]).toEqual([true, undefined, []]);
});

test("the end of a session's last lease is told, by detach or by leaving the Bus, but not with the session", async () => {
  const { leases, attach, registrations, clock, left, attached } = open();
  await registrations({ a: "1", b: "1" });
  attach("a", { keepRunning: true });
  attach("b");
  attach("b", { session: "other" });
  expect(attached).toEqual(["s", "s", "other"]);
  await registrations({ a: "1", b: "1" });
  leases.detach("s", "b");
  leases.endSession("other");
  expect(left).toEqual([{ session: "s", citizen: "b", cancelsTurns: false, isLast: false }]);
  await registrations({});
  clock.advance(2_000);
  expect(left.slice(1)).toEqual([{ session: "s", citizen: "a", cancelsTurns: false, isLast: true }]);
});
