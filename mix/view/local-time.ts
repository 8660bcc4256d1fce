// SPDX-License-Identifier: MIT OR Apache-2.0
// Times for people: in the zone of this machine. Programs read the log's UTC with --json.
import { twoDigits } from "../../display/units.ts";

export interface LocalTime {
  /** `Tue 2026-12-01` */
  readonly day: string;
  /** `2026-12-01` */
  readonly date: string;
  /** `05:36:54` */
  readonly time: string;
}

/** Takes a time of the log, RFC 3339. */
export function localTime(at: string): LocalTime {
  const then = new Date(at);
  const date = [then.getFullYear(), then.getMonth() + 1, then.getDate()].map(twoDigits).join("-");
  const time = [then.getHours(), then.getMinutes(), then.getSeconds()].map(twoDigits).join(":");
  return { day: `${weekdays[then.getDay()]} ${date}`, date, time };
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
