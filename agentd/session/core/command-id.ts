// SPDX-License-Identifier: MIT OR Apache-2.0
// A command's own id, which its caller may leave out.

/** Of a command's arguments. */
export function commandIdOf(args: object): string | undefined {
  return (args as { readonly command_id?: string }).command_id;
}

/** As a member of an entry or of a reply, where there is one. */
export function idMember(commandId: string | undefined): { readonly command_id?: string } {
  return commandId === undefined ? {} : { command_id: commandId };
}
