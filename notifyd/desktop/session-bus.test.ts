// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { readOwners } from "./session-bus.ts";

const change = (before: string, after: string): string =>
  `{"type":"signal","endian":"l","flags":1,"version":1,"cookie":6,"timestamp-realtime":1796100143376532,` +
  `"sender":"org.freedesktop.DBus","path":"/org/freedesktop/DBus","interface":"org.freedesktop.DBus",` +
  `"member":"NameOwnerChanged","payload":{"type":"sss","data":["org.freedesktop.Notifications","${before}","${after}"]}}`;

test.each([
  ["The name org.freedesktop.Notifications is owned by :1.18", [":1.18"]],
  ["The name org.freedesktop.Notifications does not have an owner", [null]],
  ["Monitoring signals from all objects owned by org.freedesktop.Notifications", []],
  ["/org/freedesktop/Notifications: org.freedesktop.Notifications.ActionInvoked (uint32 2, 'is owned by :1.9')", []],
  [change("", ":1.18"), [":1.18"]],
  [change(":1.18", ""), [null]],
  [change(":1.18", ":1.19"), [null, ":1.19"]],
])("of what gdbus and busctl print, %s says %j", (line, owners) => {
  expect(readOwners(line)).toEqual(owners);
});
