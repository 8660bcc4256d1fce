// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.status: the state of the daemon. agent.list: the catalogue.
import { listLimits } from "../config/limits.ts";
import { type Handler, ok } from "./call.ts";
import { catalogueEntries } from "../catalogue/catalogue.ts";

export const status: Handler<"agent.status", "log" | "limits" | "sessions" | "mailbox" | "settings" | "status"> = (
  instance,
) => {
  const { log, limits, sessions, mailbox } = instance;
  const failure = log.gone() ?? mailbox.failure;
  const settings = instance.settings();
  return ok({
    ...instance.status(),
    log: {
      id: log.id,
      file: log.file,
      bytes: log.bytes(),
      ...(failure === undefined ? {} : { error: failure.message }),
    },
    limits: listLimits(limits, settings),
    sessions: { live: sessions.live().length, max: settings.maxSessions },
  });
};

export const listAgents: Handler<"agent.list", "catalogue" | "places" | "capabilities" | "environmentOf"> = ({
  catalogue,
  places,
  capabilities: known,
  environmentOf,
}) => ok({ agents: catalogueEntries(catalogue(), places, { environmentOf, known }) });
