// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Editors } from "../session-editors.ts";

export const noEditors: Editors = {
  find: () => undefined,
  ask: () => Promise.reject(new Error("there is no editor")),
};
