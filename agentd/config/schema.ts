// SPDX-License-Identifier: MIT OR Apache-2.0
// The schema of the configuration file. Strict: an unknown key is an error, since silently ignoring a mistyped
// `allow_env` or `roots` would be a security hole.
import { isAbsolute, join, normalize } from "node:path";
import * as z from "zod";
import { omitUndefined } from "../../json/omit-undefined.ts";
import { type Reading, readDuration, readSize } from "../../display/durations.ts";
import { closestWord } from "../../display/closest-word.ts";
import {
  type AgentQuirks,
  type AgentSettings,
  builtInPolicies,
  type PolicySettings,
  type Settings,
  defaultSettings,
  toolKinds,
} from "./settings.ts";

/** An error in the file or, as a warning, a value without effect. `path` is its key: ["agents", "mine", "command"]. */
export interface SettingsFault {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

export type ParsedSettings =
  | { readonly ok: true; readonly settings: Settings; readonly warnings: readonly SettingsFault[] }
  | { readonly ok: false; readonly faults: readonly [SettingsFault, ...SettingsFault[]] };

/** Validates a parsed TOML document. `home` replaces `~`. Messages never quote a value that may be secret. */
export function parseSettings(document: unknown, home: string): ParsedSettings {
  const [unseen, ...others] = unseenKeys(document, []);
  if (unseen !== undefined) return { ok: false, faults: [unseen, ...others] };
  const parsed = fileSchema.safeParse(document, { reportInput: true });
  if (!parsed.success) {
    const [first, ...rest] = parsed.error.issues.flatMap(faultsOf);
    return { ok: false, faults: [first ?? { path: [], reason: "is not a table" }, ...rest] };
  }
  return { ok: true, settings: settingsOf(parsed.data, home), warnings: warningsOf(parsed.data) };
}

/** The schema passes over keys of this name, in tables of any names too. The parser limits the depth. */
function unseenKeys(value: unknown, path: readonly (string | number)[]): readonly SettingsFault[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "__proto__"
      ? [{ path: [...path, key], reason: "is a name that cannot be used: __proto__" }]
      : unseenKeys(member, [...path, key]),
  );
}

const logQuotaBytesMin = 1_000_000;

const duration = z.unknown().transform((written, context) => valueOf(readDuration(written), context));
const durationOrNone = z
  .unknown()
  .transform((written, context) => (written === "none" ? null : valueOf(readDuration(written), context)));
const quota = z.unknown().transform((written, context) => {
  const bytes = valueOf(readSize(written), context);
  if (bytes < logQuotaBytesMin) context.addIssue({ code: "custom", message: `must be at least "1MB"` });
  return bytes;
});

const directory = z
  .string({ error: "must be a path in quotes" })
  .refine((path) => (isAbsolute(path) || path === "~" || path.startsWith("~/")) && !path.includes("\0"), {
    error: "must be an absolute path, or begin with ~/",
  });

/** AGENTD_* variables cannot be set: AGENTD_SESSION identifies the session that a process belongs to. */
const environmentName = z
  .string({ error: "must be the name of an environment variable" })
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/u, {
    error: "must be the name of an environment variable: letters, digits and _, not starting with a digit",
  })
  .refine((name) => !name.startsWith("AGENTD_"), {
    error: "AGENTD_… variables are reserved and cannot be set or passed on",
  });

const noNul = (value: string): boolean => !value.includes("\0");
const environmentValue = z
  .string({ error: "must be text in quotes" })
  .refine(noNul, { error: "must not contain a NUL character" });

const entryName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/u, {
  error: "a name is 1 to 32 of a-z, 0-9, - and _, and does not start with - or _",
});

const commandError = { error: `must be a list of texts, such as ["my-agent", "--acp"]` };
const program = z
  .string(commandError)
  .min(1, { error: "the program must be named" })
  .refine((path) => !path.includes("/") || isAbsolute(path) || path.startsWith("~/"), {
    error: "the program must be a bare name (looked up on PATH), an absolute path, or begin with ~/",
  });

/** Nothing that an agent starts would be found without PATH. */
const unsetName = environmentName.refine((name) => name !== "PATH", {
  error: "PATH cannot be left out; set another one in env",
});

const quirkFields = z.strictObject(
  {
    missing_file_is_empty: z.boolean({ error: "must be true or false" }).optional(),
    mode_message_prefix: z.string({ error: "must be text in quotes" }).optional(),
    load_once: z.boolean({ error: "must be true or false" }).optional(),
    stop_grace: duration.optional(),
  },
  { error: "must be a table" },
);

const agentFields = z.strictObject(
  {
    command: z.tuple([program], z.string(commandError), commandError).refine((parts) => parts.every(noNul), {
      error: "must not contain a NUL character",
    }),
    env: z.record(environmentName, environmentValue, { error: "must be a table of names and texts" }).default({}),
    unset: z.array(unsetName, { error: `must be a list of names, such as ["HTTP_PROXY"]` }).default([]),
    protocol: z.literal(1, { error: "must be 1, the only supported version of ACP" }).default(1),
    start_timeout: duration.optional(),
    quirks: quirkFields.optional(),
  },
  { error: "must be a table" },
);

const agentSchema = agentFields.superRefine(({ env, unset }, context) => {
  for (const [index, name] of unset.entries()) {
    if (!Object.hasOwn(env, name)) continue;
    context.addIssue({
      code: "custom",
      path: ["unset", index],
      message: "is also set in env; remove it from one of the two",
    });
  }
});

const ruleSchema = z.strictObject(
  {
    kinds: z
      .array(
        z.enum(toolKinds, {
          error: ({ input }) => unknownWord("tool kind", typeof input === "string" ? input : "", toolKinds),
        }),
        { error: `must be a list of tool kinds, such as ["read", "search"]` },
      )
      .min(1, { error: "must name at least one tool kind" }),
    within: z.union([z.literal("session"), directory], { error: `must be "session" or an absolute directory` }),
  },
  { error: "must be a table" },
);

const policySchema = z.strictObject(
  { allow_once: z.array(ruleSchema, { error: "must be a list of rules" }).default([]) },
  { error: "must be a table" },
);

const fileSchema = z.strictObject({
  roots: z.array(directory, { error: `must be a list of directories, such as ["~/src"]` }).optional(),
  max_sessions: z
    .int({ error: "must be a whole number from 1" })
    .min(1, { error: "must be a whole number from 1" })
    .default(defaultSettings.maxSessions),
  idle_timeout: durationOrNone.default(defaultSettings.idleTimeoutMs),
  permission_timeout: durationOrNone.default(defaultSettings.permissionTimeoutMs),
  allow_env: z.array(environmentName, { error: `must be a list of names, such as ["GH_TOKEN"]` }).default([]),
  log_quota: quota.default(defaultSettings.logQuotaBytes),
  mcp_deny: z
    .array(
      z.string({ error: "must be the name of a Bus service" }).regex(/^[A-Za-z0-9][A-Za-z0-9._-]*\*?$|^\*$/u, {
        error: `must be the name of a Bus service, where * may stand at the end`,
      }),
      { error: `must be a list of Bus services, such as ["term", "term-*"]` },
    )
    .optional(),
  notify: z
    .string({ error: `must be the name of a Bus service, or "none"` })
    .regex(/^[a-z][a-z0-9-]{1,30}$/u, { error: `must be the name of a Bus service, or "none"` })
    .optional(),
  bus_tools: z.boolean({ error: "must be true or false" }).default(defaultSettings.busTools),
  agents_act: z.enum(["started", "any"], { error: `must be "started" or "any"` }).default(defaultSettings.agentsAct),
  mesh: z.enum(["refuse", "answer"], { error: `must be "refuse" or "answer"` }).default(defaultSettings.mesh),
  agents: z.record(entryName, agentSchema, { error: "must be a table of agents" }).default({}),
  policies: z.record(entryName, policySchema, { error: "must be a table of policies" }).default({}),
});

type File = z.output<typeof fileSchema>;

function settingsOf(file: File, home: string): Settings {
  return {
    roots: file.roots?.map((root) => fromHome(root, home)),
    maxSessions: file.max_sessions,
    idleTimeoutMs: file.idle_timeout,
    permissionTimeoutMs: file.permission_timeout,
    allowEnv: [...new Set(file.allow_env)],
    logQuotaBytes: file.log_quota,
    mcpDeny: file.mcp_deny ?? defaultSettings.mcpDeny,
    notify: file.notify === "none" ? undefined : (file.notify ?? defaultSettings.notify),
    busTools: file.bus_tools,
    agentsAct: file.agents_act,
    mesh: file.mesh,
    agents: new Map(Object.entries(file.agents).map(([name, agent]) => [name, agentOf(agent, home)])),
    policies: new Map([
      ...builtInPolicies,
      ...Object.entries(file.policies).map(([name, policy]) => [name, policyOf(policy, home)] as const),
    ]),
  };
}

function agentOf(agent: z.output<typeof agentSchema>, home: string): AgentSettings {
  const [first, ...rest] = agent.command;
  const named = first.startsWith("~/") ? fromHome(first, home) : first;
  const { env, unset, protocol, start_timeout: startTimeoutMs } = agent;
  return {
    command: [named, ...rest],
    env,
    unset,
    protocol,
    startTimeoutMs,
    quirks: agent.quirks && quirksOf(agent.quirks),
  };
}

/** Without the absent ones, which leave what agentd knows. */
function quirksOf(written: z.output<typeof quirkFields>): AgentQuirks {
  const quirks: AgentQuirks = omitUndefined({
    missingFileIsEmpty: written.missing_file_is_empty,
    modeMessagePrefix: written.mode_message_prefix,
    loadOnce: written.load_once,
    stopGraceMs: written.stop_grace,
  });
  return quirks;
}

function policyOf(policy: z.output<typeof policySchema>, home: string): PolicySettings {
  return {
    allowOnce: policy.allow_once.map(({ kinds, within }) => ({
      kinds,
      within: within === "session" ? within : { directory: fromHome(within, home) },
    })),
  };
}

function warningsOf(file: File): SettingsFault[] {
  const reason = "switch_mode has no effect here: a person always decides about a change of mode";
  return Object.entries(file.policies).flatMap(([name, policy]) =>
    policy.allow_once.flatMap(({ kinds }, index) =>
      kinds.includes("switch_mode") ? [{ path: ["policies", name, "allow_once", index, "kinds"], reason }] : [],
    ),
  );
}

function fromHome(path: string, home: string): string {
  return normalize(path === "~" ? home : path.startsWith("~/") ? join(home, path.slice(2)) : path);
}

function valueOf(reading: Reading, context: z.RefinementCtx): number {
  if (reading.ok) return reading.value;
  context.addIssue({ code: "custom", message: reading.reason });
  return z.NEVER;
}

function faultsOf(issue: z.core.$ZodIssue): SettingsFault[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], reason: unknownWord("key", key, knownKeys(path)) }));
  }
  if (issue.code === "invalid_key") return [{ path, reason: issue.issues[0]?.message ?? issue.message }];
  // A missing element: the list is too short.
  if (issue.code === "invalid_type" && issue.input === undefined && typeof path.at(-1) === "number") {
    return [{ path: path.slice(0, -1), reason: `is too short; it ${issue.message}` }];
  }
  if (issue.code === "invalid_type" && issue.input === undefined && isMissing(path)) {
    return [{ path, reason: `is missing; it ${issue.message}` }];
  }
  return [{ path, reason: issue.message }];
}

/** Whether the key is one of the required ones: an agent's command, a rule's kinds and within. */
function isMissing(path: readonly (string | number)[]): boolean {
  const last = path.at(-1);
  return last === "command" || last === "kinds" || last === "within";
}

function knownKeys(path: readonly (string | number)[]): readonly string[] {
  if (path.length === 0) return Object.keys(fileSchema.shape);
  if (path[0] === "agents") return Object.keys(path.length === 2 ? agentFields.shape : quirkFields.shape);
  return Object.keys(path.length === 2 ? policySchema.shape : ruleSchema.shape);
}

function unknownWord(what: string, word: string, known: readonly string[]): string {
  const meant = closestWord(word, known);
  return `is an unknown ${what}; ${meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`}`;
}
