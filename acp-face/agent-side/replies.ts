// SPDX-License-Identifier: MIT OR Apache-2.0
// Builds the results that we send to a v1 client: what acp-client decodes, the other way round.
import { omitUndefined } from "../../json/omit-undefined.ts";
import type { AuthMethod, ConfigChoice, ConfigOption } from "../../acp-client/model.ts";
import type { AdvertisedMethods, AgentOffer, OpenedSession, SessionPage } from "./agent.ts";

export function initializeResult(agent: AdvertisedMethods, offer: AgentOffer): object {
  const offered = (isOffered: boolean): object | undefined => (isOffered ? {} : undefined);
  return omitUndefined({
    protocolVersion: 1,
    agentInfo: offer.info,
    agentCapabilities: {
      loadSession: agent.loadSession !== undefined,
      promptCapabilities: { image: false, audio: false, embeddedContext: false, ...offer.prompt },
      mcpCapabilities: { http: false, sse: false, ...offer.mcp },
      sessionCapabilities: omitUndefined({
        list: offered(agent.listSessions !== undefined),
        resume: offered(agent.resumeSession !== undefined),
        close: offered(agent.closeSession !== undefined),
        delete: offered(agent.deleteSession !== undefined),
        additionalDirectories: offered(offer.additionalDirectories === true),
      }),
      auth: omitUndefined({ logout: offered(agent.logout !== undefined) }),
    },
    authMethods: (offer.authMethods ?? []).map(authMethod),
    _meta: offer.meta,
  });
}

export function openedResult({ modes, options, meta, ...rest }: OpenedSession): object {
  return omitUndefined({
    ...rest,
    modes: modes && {
      currentModeId: modes.current,
      availableModes: modes.choices.map(({ value, name, description }) => ({
        id: value,
        name,
        ...(description != null && { description }),
      })),
    },
    configOptions: options && configOptions(options),
    _meta: meta,
  });
}

export function configOptions(options: readonly ConfigOption[]): object[] {
  return options.map(({ option, name, description, category, type, value, choices }) =>
    omitUndefined({
      id: option,
      name,
      description: description ?? undefined,
      category: category ?? undefined,
      type,
      currentValue: value,
      options: type === "select" ? grouped(choices ?? []) : undefined,
    }),
  );
}

export function sessionPageResult({ sessions, nextCursor }: SessionPage): object {
  return omitUndefined({ sessions, nextCursor });
}

/** ACP has either choices or groups of them: those without a group get one where others have. */
function grouped(choices: readonly ConfigChoice[]): readonly object[] {
  if (choices.every(({ group }) => group === undefined)) return choices;
  const groups = new Map<string, object[]>();
  for (const { group = "Other", ...choice } of choices) {
    groups.set(group, [...(groups.get(group) ?? []), choice]);
  }
  return Array.from(groups, ([name, options]) => ({ group: name, name, options }));
}

/** A method without a type is one that the agent handles. */
function authMethod({ type, ...method }: AuthMethod): object {
  return type === "agent" ? method : { type, ...method };
}
