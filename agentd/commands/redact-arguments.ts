// SPDX-License-Identifier: MIT OR Apache-2.0
// Reduces a command's arguments to what its entry may show: no value that may be a secret, and neither a prompt's text
// nor a form's content, which have entries of their own.

const omittedArguments: ReadonlySet<string> = new Set(["command_id", "session", "prompt", "content", "mcp_servers"]);

interface ServerShape {
  readonly name: string;
  readonly type?: string;
  readonly url?: string;
  readonly env?: readonly { readonly name: string }[];
  readonly headers?: readonly { readonly name: string }[];
}

export function redactArguments(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const redacted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args))
    if (!omittedArguments.has(name) && value !== undefined) redacted[name] = value;
  const servers = args["mcp_servers"] as readonly ServerShape[] | undefined;
  if (servers !== undefined && servers.length > 0) redacted["mcp_servers"] = servers.map(redactServer);
  return redacted;
}

/** Keeps only names: arguments, URLs and values may contain a token. */
function redactServer(server: ServerShape): Record<string, unknown> {
  const { name, type, env, headers } = server;
  return {
    name,
    ...(type === undefined ? {} : { type }),
    ...(env === undefined ? {} : { env: env.map((variable) => variable.name) }),
    ...(headers === undefined ? {} : { headers: headers.map((header) => header.name) }),
  };
}
