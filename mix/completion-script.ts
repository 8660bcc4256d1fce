// SPDX-License-Identifier: MIT OR Apache-2.0
// Completion scripts: verbs and flags from the table, sessions from a daemon that runs already.

export interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly string[];
  readonly takesSession: boolean;
}

export function completionScript(
  shell: "bash" | "zsh" | "fish",
  agentVerbs: readonly CompletedVerb[],
  busVerbs: readonly CompletedVerb[],
): string {
  if (shell === "bash") return bash(agentVerbs, busVerbs);
  return shell === "zsh" ? zsh(agentVerbs, busVerbs) : fish(agentVerbs, busVerbs);
}

// `--no-autostart`: pressing Tab must not start anything.
const sessions = "mix agent ls --quiet --no-autostart 2>/dev/null";

function bash(agentVerbs: readonly CompletedVerb[], busVerbs: readonly CompletedVerb[]): string {
  return `# bash completion for mix
_mix() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="" verb="\${COMP_WORDS[1]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="agent ${names(busVerbs)} --help --version"
  elif [ "$verb" = agent ] && [ "$COMP_CWORD" -eq 2 ]; then
    words="${names(agentVerbs)} --help"
  else
    [ "$verb" = agent ] && verb="agent \${COMP_WORDS[2]}"
${caseLines(agentVerbs, busVerbs, "    ")}
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _mix mix`;
}

function zsh(agentVerbs: readonly CompletedVerb[], busVerbs: readonly CompletedVerb[]): string {
  return `#compdef mix
_mix() {
  local word="" verb="\${words[2]}" candidates=""
  if (( CURRENT == 2 )); then
    candidates="agent ${names(busVerbs)} --help --version"
  elif [[ "$verb" == agent ]] && (( CURRENT == 3 )); then
    candidates="${names(agentVerbs)} --help"
  else
    [[ "$verb" == agent ]] && verb="agent \${words[3]}"
    word="\${words[CURRENT]}"
${caseLines(agentVerbs, busVerbs, "    ").replaceAll("words=", "candidates=")}
  fi
  if [[ -n "$candidates" ]]; then compadd -- \${=candidates}; else _files; fi
}
compdef _mix mix`;
}

function caseLines(agentVerbs: readonly CompletedVerb[], busVerbs: readonly CompletedVerb[], indent: string): string {
  const line = (verb: string, one: CompletedVerb): string => {
    const flags = `words="${one.flags.join(" ")}"`;
    const body = one.takesSession
      ? `if [ "\${word#-}" = "$word" ]; then words="$(${sessions})"; else ${flags}; fi`
      : `if [ "\${word#-}" != "$word" ]; then ${flags}; fi`;
    return `${indent}  "${verb}") ${body} ;;`;
  };
  return [
    `${indent}case "$verb" in`,
    ...agentVerbs.map((one) => line(`agent ${one.name}`, one)),
    ...busVerbs.map((one) => line(one.name, one)),
    `${indent}esac`,
  ].join("\n");
}

function fish(agentVerbs: readonly CompletedVerb[], busVerbs: readonly CompletedVerb[]): string {
  const first = "__fish_is_nth_token 1";
  const second = "__fish_seen_subcommand_from agent; and __fish_is_nth_token 2";
  const flagLines = (one: CompletedVerb, seen: string): string[] => [
    ...one.flags.map((flag) => `complete -c mix -n '${seen}' -l ${flag.slice(2)}`),
    ...(one.takesSession ? [`complete -c mix -n '${seen}' -f -a '(${sessions})'`] : []),
  ];
  return [
    "# fish completion for mix",
    `complete -c mix -n '${first}' -f -a agent -d 'coding agents as sessions'`,
    ...busVerbs.map((one) => `complete -c mix -n '${first}' -f -a ${one.name} -d '${quoted(one.summary)}'`),
    ...agentVerbs.map((one) => `complete -c mix -n '${second}' -f -a ${one.name} -d '${quoted(one.summary)}'`),
    ...agentVerbs.flatMap((one) =>
      flagLines(one, `__fish_seen_subcommand_from agent; and __fish_seen_subcommand_from ${one.name}`),
    ),
    ...busVerbs.flatMap((one) =>
      flagLines(one, `not __fish_seen_subcommand_from agent; and __fish_seen_subcommand_from ${one.name}`),
    ),
  ].join("\n");
}

function names(verbs: readonly CompletedVerb[]): string {
  return verbs.map(({ name }) => name).join(" ");
}

function quoted(text: string): string {
  return text.replaceAll("'", "\\'");
}
