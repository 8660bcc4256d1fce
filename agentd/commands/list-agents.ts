// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.list: the catalogue.
import { catalogueEntries } from "../catalogue/catalogue.ts";
import { type Handler, ok } from "./call.ts";

export const listAgents: Handler<"agent.list"> = (instance) =>
  ok({ agents: catalogueEntries(instance.catalogue(), instance.environment["PATH"]) });
