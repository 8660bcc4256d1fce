// SPDX-License-Identifier: MIT OR Apache-2.0
// The public contract of the service `agent`, and the only part of agentd that other folders may import.
export * from "./parse-arguments.ts";
export * from "./entries.ts";
export * from "./errors.ts";
export * from "./limits.ts";
export * from "./notify-arguments.ts";
export * from "./notify.ts";
export * from "./probe.ts";
export * from "./replies.ts";
export * from "./usage.ts";
export * from "./verbs.ts";
