// SPDX-License-Identifier: MIT OR Apache-2.0
// The verbs that bring much with them, to follow a session, to ask a person or to run a Bus: half of the program. They
// are loaded only when one of them is called, so that all others start faster.
export * as agents from "./agents.ts";
export * as answer from "./answer.ts";
export * as attach from "./attach.ts";
export * as bus from "./bus.ts";
export * as close from "./close.ts";
export * as doctor from "./doctor.ts";
export * as env from "./env.ts";
export * as log from "./log.ts";
export * as login from "./login.ts";
export * as notify from "./notify.ts";
export * as overview from "./overview.ts";
export * as permit from "./permit.ts";
export * as resume from "./resume.ts";
export * as send from "./send.ts";
export * as setup from "./setup.ts";
export * as show from "./show.ts";
export * as start from "./start.ts";
