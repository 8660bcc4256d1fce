// SPDX-License-Identifier: MIT OR Apache-2.0
// The verbs that a session decides by itself.
import type { Handler } from "./call.ts";
import { postCommand } from "./post-command.ts";

export const prompt: Handler<"agent.session.prompt"> = (instance, call) =>
  postCommand(instance, call, call.args.session);
export const cancel: Handler<"agent.session.cancel"> = (instance, call) =>
  postCommand(instance, call, call.args.session);
export const setConfig: Handler<"agent.session.set_config"> = (instance, call) =>
  postCommand(instance, call, call.args.session);
export const close: Handler<"agent.session.close"> = (instance, call) => postCommand(instance, call, call.args.session);
