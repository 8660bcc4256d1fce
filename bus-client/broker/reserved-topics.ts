// SPDX-License-Identifier: MIT OR Apache-2.0

/** Topics whose name says who may publish there. `closed`: nobody subscribes to it directly. */
export interface ReservedTopic {
  readonly owner: string;
  readonly access: "open" | "closed";
}

const service = "([a-z][a-z0-9-]{1,30})";
const open = new RegExp(`^${service}\\.(?:props|pointer)\\.changed$`);
const closed = new RegExp(`^${service}\\.props\\.(?:records\\.changed|audit)$`);
const desktop = /^settingsd\.desktop\.(?:changed|summary(?:\..+)?)$/;

export function reservedTopic(name: string): ReservedTopic | undefined {
  if (desktop.test(name)) return { owner: "settingsd", access: "open" };
  const openOwner = open.exec(name)?.[1];
  if (openOwner !== undefined) return { owner: openOwner, access: "open" };
  const closedOwner = closed.exec(name)?.[1];
  return closedOwner === undefined ? undefined : { owner: closedOwner, access: "closed" };
}
