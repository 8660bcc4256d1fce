// SPDX-License-Identifier: MIT OR Apache-2.0
// Completion scripts: verbs and flags from the table, sessions and the like from a daemon that runs already.
import { type Candidates, flagWords } from "./completed-words.ts";

export interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  /** Without dashes. */
  readonly flags: readonly CompletedFlag[];
  readonly words: readonly Candidates[];
}

export interface CompletedFlag {
  readonly name: string;
  readonly takesValue: boolean;
}

export function completionScript(
  shell: "bash" | "zsh" | "fish",
  agentVerbs: readonly CompletedVerb[],
  busVerbs: readonly CompletedVerb[],
): string {
  if (shell === "fish") return fish(agentVerbs, busVerbs);
  const verbs = [...agentVerbs.map((one) => ({ ...one, name: `agent ${one.name}` })), ...busVerbs];
  const first = `agent ${names(busVerbs)} --help --version`;
  const second = `${names(agentVerbs)} --help`;
  return shell === "bash" ? bash(first, second, verbs) : zsh(first, second, verbs);
}

function bash(first: string, second: string, verbs: readonly CompletedVerb[]): string {
  return `# bash completion for mix
_mix() {
  local at=2 current="$COMP_CWORD" place=0 found="" verb="\${COMP_WORDS[1]}"
  local word="\${COMP_WORDS[current]}" before="\${COMP_WORDS[current - 1]}"
  if [ "$current" -eq 1 ]; then
    found="${first}"
  elif [ "$verb" = agent ] && [ "$current" -eq 2 ]; then
    found="${second}"
  else
    [ "$verb" = agent ] && { verb="agent \${COMP_WORDS[2]}"; at=3; }
${posixBody("COMP_WORDS[at]", verbs)}
  fi
  # Not compgen -W: it would run what a service's name has in it.
  local one all=()
  IFS=$' \\t\\n' read -r -d "" -a all <<< "$found"
  COMPREPLY=()
  for one in "\${all[@]}"; do [[ "$one" == "$word"* ]] && COMPREPLY+=("$one"); done
}
complete -o default -F _mix mix`;
}

function zsh(first: string, second: string, verbs: readonly CompletedVerb[]): string {
  return `#compdef mix
_mix() {
  local at=3 current="$CURRENT" place=0 found="" verb="\${words[2]}"
  local word="\${words[CURRENT]}" before="\${words[CURRENT-1]}"
  if (( CURRENT == 2 )); then
    found="${first}"
  elif [[ "$verb" == agent ]] && (( CURRENT == 3 )); then
    found="${second}"
  else
    [[ "$verb" == agent ]] && { verb="agent \${words[3]}"; at=4; }
${posixBody("words[at]", verbs)}
  fi
  if [[ -n "$found" ]]; then compadd -- \${=found}; else _files; fi
}
compdef _mix mix`;
}

/** Which place the word has after its verb, and from there to `found`; flags and their values have no place. */
function posixBody(wordAt: string, verbs: readonly CompletedVerb[]): string {
  const flags = verbs.flatMap((verb) => verb.flags);
  const valued = [...new Set(flags.filter(({ takesValue }) => takesValue).map(({ name }) => `--${name}`))].join("|");
  const known = Object.entries(flagWords).map(([name, one]) => `--${name}) found="${inQuotes(one)}" ;;`);
  const flagCases = verbs.map(
    (one) => `"${one.name}") found="${one.flags.map(({ name }) => `--${name}`).join(" ")}" ;;`,
  );
  const wordCases = verbs.flatMap(({ name, words }) =>
    words.map((one, place) => `"${name} ${place}") found="${inQuotes(one)}" ;;`),
  );
  return `    for ((; at < current; at++)); do
      case "\${${wordAt}}" in
        ${valued}) at=$((at + 1)) ;;
        -*) ;;
        *) place=$((place + 1)) ;;
      esac
    done
    case "$before" in
      ${known.join("\n      ")}
      ${valued}) ;;
      *) case "$word" in
        -*) case "$verb" in
          ${flagCases.join("\n          ")}
        esac ;;
        *) case "$verb $place" in
          ${wordCases.join("\n          ")}
        esac ;;
      esac ;;
    esac`;
}

function inQuotes(candidates: Candidates): string {
  return "words" in candidates ? candidates.words : `$(${candidates.command} 2>/dev/null)`;
}

function fish(agentVerbs: readonly CompletedVerb[], busVerbs: readonly CompletedVerb[]): string {
  const first = "__fish_is_nth_token 1";
  const second = "__fish_seen_subcommand_from agent; and __fish_is_nth_token 2";
  const lines = (one: CompletedVerb, seen: string, verbAt: number): string[] => [
    ...one.flags.map((flag) => `complete -c mix -n '${seen}' -l ${flag.name}${fishValue(flag)}`),
    ...one.words.map(
      (words, place) =>
        `complete -c mix -n '${seen}; and __fish_is_nth_token ${verbAt + 1 + place}' -f -a '${inFish(words)}'`,
    ),
  ];
  return [
    "# fish completion for mix",
    `complete -c mix -n '${first}' -f -a agent -d 'coding agents as sessions'`,
    ...busVerbs.map((one) => `complete -c mix -n '${first}' -f -a ${one.name} -d '${quoted(one.summary)}'`),
    ...agentVerbs.map((one) => `complete -c mix -n '${second}' -f -a ${one.name} -d '${quoted(one.summary)}'`),
    ...agentVerbs.flatMap((one) =>
      lines(one, `__fish_seen_subcommand_from agent; and __fish_seen_subcommand_from ${one.name}`, 2),
    ),
    ...busVerbs.flatMap((one) =>
      lines(one, `not __fish_seen_subcommand_from agent; and __fish_seen_subcommand_from ${one.name}`, 1),
    ),
  ].join("\n");
}

function fishValue({ name, takesValue }: CompletedFlag): string {
  const words = flagWords[name];
  if (!takesValue) return "";
  return words === undefined ? " -r" : ` -x -a '${inFish(words)}'`;
}

function inFish(candidates: Candidates): string {
  return "words" in candidates ? candidates.words : `(${candidates.command} 2>/dev/null)`;
}

function names(verbs: readonly CompletedVerb[]): string {
  return verbs.map(({ name }) => name).join(" ");
}

function quoted(text: string): string {
  return text.replaceAll("'", "\\'");
}
