// SPDX-License-Identifier: MIT OR Apache-2.0
// The verbs of the service `agent` and their arguments. Unknown arguments are errors: a mistyped one must not be
// ignored silently by a verb that acts.
import * as z from "zod";
import { numberOf, type RawJson } from "../../json/raw-json.ts";
import { utf8Length } from "../../json/utf8-length.ts";
import { entryKinds, sessionPhases } from "./entries.ts";
import { callLimits as limits } from "./limits.ts";
import { probeDepths } from "./probe.ts";

/** Idempotency key, unique within the session; that of a start is unique within the instance. */
const commandId = z.string().min(1).max(128);
const session = z.string().min(1).max(128);
const text = z.string().min(1);
const optionName = text.max(limits.optionCharactersMax);
const optionValue = z.union([z.string().max(limits.optionCharactersMax), z.boolean()]);
const contentBlock = z.looseObject({ type: z.string().min(1) });
const promptText = z.string().refine((value) => value.trim() !== "", "a prompt must not be empty");
const prompt = z
  .union([promptText, z.array(contentBlock).min(1).max(limits.promptBlocksMax)])
  .refine(
    (blocks) => utf8Length(JSON.stringify(blocks)) <= limits.promptBytesMax,
    `a prompt may have at most ${limits.promptBytesMax} bytes as JSON`,
  );
const environmentName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    "must be only a variable's name: letters, digits and _, not starting with a digit",
  );

/** A literal, or the name of a variable of agentd's environment, so that a secret need not travel over the Bus. */
const value = z.union([z.string(), z.strictObject({ env: environmentName })]);
const named = z.strictObject({ name: z.string().min(1), value });
/** No program can be given a word with a NUL character. */
const hasNoNul = (word: string): boolean => !word.includes("\0");
const nulMessage = { error: "must not contain a NUL character" };
const mcpServer = z.union([
  z.strictObject({
    type: z.literal("stdio").optional(),
    name: text,
    command: text.refine(hasNoNul, nulMessage),
    args: z.array(z.string().refine(hasNoNul, nulMessage)).default([]),
    env: z.array(named).default([]),
  }),
  z.strictObject({ type: z.enum(["http", "sse"]), name: text, url: z.url(), headers: z.array(named).default([]) }),
]);

/** An agent that the catalogue does not have: its program and arguments. */
const agentCommand = z
  .tuple([text], z.string(), "must be a list of texts: the program and its arguments")
  .refine(([program]) => program.startsWith("/") || !program.includes("/"), {
    error: "the program must be a bare name (looked up on agentd's PATH) or an absolute path",
  })
  .refine((words) => words.every(hasNoNul), nulMessage)
  .refine((words) => words.length <= limits.commandWordsMax, { error: `at most ${limits.commandWordsMax} words` })
  .refine((words) => utf8Length(JSON.stringify(words)) <= limits.commandBytesMax, {
    error: `at most ${limits.commandBytesMax} bytes as JSON`,
  });

/** A session's name. It can be mistaken neither for a path or an option nor for the instance. */
const sessionName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "letters, digits, dot, dash and underscore, at most 64, not starting with a dash or dot",
  )
  .refine((name) => name !== "instance", "`instance` is reserved");

const secretSize = `a secret has ${limits.secretBytesMin} to ${limits.secretBytesMax} bytes`;
const states = z.enum(sessionPhases);
const until = z.enum(["idle", "waiting", "ended"]);
const page = z.number().int().min(1);

const openRequestsOf = z.strictObject({ session: session.optional(), request: text.optional() });
const formValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
type FormContent = Readonly<Record<string, z.output<typeof formValue> | RawJson>>;
const { $schema: _, ...formValueSchema } = z.toJSONSchema(formValue);
/** Not a `z.record`, which drops a field that is named `__proto__`. */
const formContent = z
  .custom<FormContent>((content) => typeof content === "object" && content !== null && !Array.isArray(content))
  .superRefine((content, context) => {
    for (const [name, written] of Object.entries(content)) {
      if (formValue.safeParse(numberOf(written)).success) continue;
      context.addIssue({
        code: "custom",
        path: [name],
        message: "must be a string, a number, true or false, or a list of strings",
      });
    }
  })
  .refine(
    (content) => utf8Length(JSON.stringify(content)) <= limits.formContentBytesMax,
    `a form's content may have at most ${limits.formContentBytesMax} bytes as JSON`,
  )
  .meta({ type: "object", additionalProperties: formValueSchema });

/** A permission request in the form that the log has it; other members are ignored. `cwd` is the session's directory. */
const permissionQuestion = z.looseObject({
  tool_call: z.looseObject({
    tool_kind: z.string().nullish(),
    locations: z.array(z.unknown()).nullish(),
    content: z.array(z.unknown()).nullish(),
  }),
  options: z.array(z.looseObject({ option: z.string(), kind: z.string() })),
  cwd: text.optional(),
});

/** A command: logged with its receipt before it is run. */
function acting<S extends z.ZodRawShape>(members: S) {
  return z.strictObject({ command_id: commandId.optional(), ...members });
}

/** What a program may do for a session's agent: see `docs/client-side-requests.md`. */
export const leaseOffers = ["fs.read", "fs.write", "terminal"] as const;
export type LeaseOffer = (typeof leaseOffers)[number];

/** The session is optional, since request ids are unique. */
const ofRequest = { session: session.optional(), request: text };

const actingArguments = {
  "agent.session.start": acting({
    agent: text,
    command: agentCommand.optional(),
    cwd: text.optional(),
    additional_dirs: z.array(text).max(limits.additionalDirectoriesMax).default([]),
    name: sessionName.optional(),
    prompt: prompt.optional(),
    config: z.record(optionName, optionValue).default({}),
    mcp_servers: z.array(mcpServer).max(limits.mcpServersMax).default([]),
    env: z.array(environmentName).max(limits.passedEnvironmentMax).default([]),
    policy: text.optional(),
  }),
  "agent.session.resume": acting({ session, fresh: z.boolean().default(false) }),
  "agent.session.prompt": acting({
    session,
    prompt,
    when_busy: z.enum(["refuse", "queue", "steer"]).default("refuse"),
    always_ask: z.boolean().optional(),
  }),
  "agent.session.cancel": acting({ session, turn: z.number().int().min(1).optional() }),
  "agent.session.set_config": acting({ session, option: optionName, value: optionValue }),
  "agent.session.close": acting({ session }),
  "agent.session.rename": acting({ session, name: z.union([sessionName, z.literal("")]) }),
  "agent.session.forget": acting({ session }),
  "agent.permission.answer": z.union([
    acting({ ...ofRequest, option: z.string() }),
    acting({ ...ofRequest, cancelled: z.literal(true) }),
  ]),
  "agent.elicitation.answer": acting({
    ...ofRequest,
    action: z.enum(["accept", "decline", "cancel"]),
    content: formContent.optional(),
  }),
  "agent.login": acting({
    agent: text.max(limits.optionCharactersMax),
    method: text.max(1024).optional(),
    visits: z.number().int().min(0).optional(),
  }),
  "agent.session.purge": acting({ session, dry_run: z.boolean().default(false) }),
  "agent.log.prune": acting({ before: z.iso.datetime({ offset: true }), dry_run: z.boolean().default(false) }),
  "agent.probe": acting({
    agent: text,
    depth: z.enum(probeDepths).default("initialize"),
    env: z.array(environmentName).max(limits.passedEnvironmentMax).default([]),
  }),
  "agent.log.redact": acting({
    session: session.optional(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits: the SHA-256 of the secret's UTF-8 bytes"),
    length: z.number().int().min(limits.secretBytesMin, secretSize).max(limits.secretBytesMax, secretSize),
    dry_run: z.boolean().default(false),
  }),
};

/** A lease is kept in memory: these are neither logged nor given receipts, but not everyone may use them. */
const leaseArguments = {
  "agent.session.attach": z.strictObject({
    session,
    citizen: text,
    offers: z.array(z.enum(leaseOffers)).default([]),
    keep_running: z.boolean().default(false),
  }),
  "agent.session.detach": z.strictObject({ session, citizen: text }),
};

const readingArguments = {
  "agent.list": z.strictObject({}),
  "agent.status": z.strictObject({}),
  "agent.session.list": z.strictObject({
    state: z.union([states, z.array(states)]).optional(),
    agent: text.optional(),
    cwd: text.optional(),
    forgotten: z.boolean().default(false),
    after: z.string().optional(),
    limit: page.max(limits.sessionsPerPageMax).default(limits.sessionsPerPageDefault),
  }),
  "agent.session.get": z.strictObject({ session }),
  "agent.session.log": z.union([
    z.strictObject({
      session,
      after: z.union([z.string(), z.number().int().min(0)]).optional(),
      before: z.union([z.string(), z.number().int().min(1)]).optional(),
      limit: page.max(limits.entriesPerPageMax).default(limits.entriesPerPageDefault),
      kinds: z.array(z.enum(entryKinds)).min(1).optional(),
      turn: z.number().int().min(1).optional(),
    }),
    z.strictObject({
      session,
      entry: z.number().int().min(1),
      offset: z.number().int().min(0).default(0),
      bytes: page.max(limits.pieceBytesMax).default(limits.pieceBytesMax),
    }),
  ]),
  "agent.session.wait": z.strictObject({
    session,
    until: z.union([until, z.array(until).min(1)]),
    after: z.union([z.string(), z.number().int().min(0)]).optional(),
    timeout_ms: z.number().int().min(0).max(limits.waitTimeoutMsMax).default(limits.waitTimeoutMsMax),
  }),
  "agent.log.verify": z.strictObject({}),
  "agent.log.stats": z.strictObject({
    top: page.max(limits.fullestSessionsMax).default(limits.fullestSessionsDefault),
  }),
  "agent.permission.list": openRequestsOf,
  "agent.elicitation.list": openRequestsOf,
  "agent.policy.test": z.strictObject({ policy: text, request: z.union([text, permissionQuestion]) }),
};

export const verbArguments = { ...actingArguments, ...leaseArguments, ...readingArguments };
export type Verb = keyof typeof verbArguments;
export type VerbArguments<V extends Verb> = z.output<(typeof verbArguments)[V]>;
/** Arguments as a caller writes them: those with defaults are optional. */
export type VerbInput<V extends Verb> = z.input<(typeof verbArguments)[V]>;

export const verbs = Object.keys(verbArguments) as Verb[];
/** Whether the verb changes something, so that `agentd/authority` has a rule for it. */
export const isActing = (verb: Verb): boolean => verb in actingArguments || verb in leaseArguments;

/** The verbs' lines in HELP. */
export const verbDescriptions: Readonly<Record<Verb, string>> = {
  "agent.session.start":
    "Start an agent as a session, optionally with a first prompt. `command` (people only): a program that the catalogue does not have, " +
    "which `agent` then only names. Agents may not give a mode, an mcp_servers entry with a command or a variable, or an env, " +
    "directory or policy that is not their own; an agent that another agent started may start none",
  "agent.session.resume":
    "Resume an ended session, by the agent's own resume or load, or with its transcript in a new agent session; agents: only sessions that they started",
  "agent.session.prompt":
    "Send a prompt to a session. `always_ask: true`: in this turn people are asked, whatever the session's policy says; agents: only to sessions that they started",
  "agent.session.cancel":
    "Cancel the running turn and all queued turns, or one turn; agents: only of sessions that they started",
  "agent.session.set_config":
    "Set an option of a session: mode, model or another that the agent offers; agents: only of sessions that they started, and no mode",
  "agent.session.close": "End a session and its agent; agents: only of sessions that they started",
  "agent.session.rename":
    'Give a session another name; "" removes its name; agents: only of sessions that they started',
  "agent.session.forget":
    "Leave an ended session out of agent.session.list from now on; its log stays, and it can be resumed; agents: only sessions that they started",
  "agent.session.attach":
    "Serve a session's agent as its editor, under your own name on the Bus, until you detach or leave the Bus: `client.fs.read`, `client.fs.write` and " +
    "`client.terminal.*` are then asked of you, as far as you offer them. If you leave, your turns are cancelled unless keep_running; not for agents",
  "agent.session.detach": "End your lease of a session; nothing is cancelled; not for agents",
  "agent.permission.answer": "Answer a permission request; needs a name on the Bus; not for agents",
  "agent.elicitation.answer":
    "Answer an elicitation: accept with the form's content, decline or cancel; needs a name on the Bus; not for agents",
  "agent.login":
    "Log in to an agent. Without a method: which there are. A login that takes longer than 45 s, or has a page to visit, goes on: call again with the same method, and with the `nth` of the last page as `visits`; needs a name on the Bus; not for agents",
  "agent.session.purge": "Remove an ended session's entries from the log permanently; not for agents",
  "agent.log.prune": "Purge every ended session whose last entry is older than a given time; not for agents",
  "agent.log.redact": "Remove a secret from the log, given only its hash and length; not for agents",
  "agent.probe":
    "Start an agent, measure what it really offers, and end it. `depth: full` costs calls of its model; not for agents",
  "agent.list": "List the agents of the catalogue",
  "agent.status": "Show the daemon's process, Bus, log, limits and live sessions",
  "agent.session.list": "List sessions, newest first; `forgotten: true`: also ended ones that were forgotten",
  "agent.session.get": "Show one session's current state",
  "agent.session.log": "Read a session's entries in order, in pages",
  "agent.session.wait": "Wait until a session is idle, waiting or ended",
  "agent.log.verify": "Check the log's seals, its numbering and its file",
  "agent.log.stats": "Show the size of the log, and its largest sessions",
  "agent.permission.list": "List pending permission requests",
  "agent.elicitation.list": "List pending elicitations: forms to fill in, URLs to open",
  "agent.policy.test": "Show what a policy would answer to a request, and why",
};
