// SPDX-License-Identifier: MIT OR Apache-2.0
// The completion scripts. Each passes the words up to the cursor to `mix complete` and offers the answer. Its first line
// says what the shell itself completes (files, directories or nothing); each further line is a candidate, a tab and a
// description.

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** Works with bash 3.2, too. It has no `compopt`, so it offers file names if no candidate fits. */
const bash = `# bash completion for mix
_mix() {
  local line="\${COMP_LINE:0:COMP_POINT}" quotes=$'["\\'\\\\\\\\]' unsafe=$'["\\'$\`\\\\\\\\!]' words=() n=-1 token kept value
  for token in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    # bash breaks words at : and = too; tokens without a space between them are one word.
    if [[ $n -lt 0 || $line == [[:space:]]* ]]; then n=$((n + 1)); words[n]=""; fi
    line="\${line#"\${line%%[![:space:]]*}"}"
    [[ $line == "$token"* ]] || token="$line"
    line="\${line#"$token"}"
    words[n]+="$token"
  done
  [[ $token == [:=] ]] && token=""
  words=("\${words[@]//$quotes/}")
  # What stands before the token is not replaced.
  kept="\${words[n]%"\${token//$quotes/}"}"
  COMPREPLY=()
  {
    read -r value
    case "$value" in
      directories) compopt -o dirnames +o default ;;
      nothing) compopt +o default ;;
    esac 2>/dev/null
    while IFS=$'\\t' read -r value _; do
      value="\${value#"$kept"}"
      if [[ $token == [\\"\\']* ]]; then
        # Within a quote these would end it, or run a command.
        [[ $value != *$unsafe* ]] || continue
      elif [[ $value == *[!A-Za-z0-9_.,:=@/+-]* ]]; then
        printf -v value %q "$value"
      fi
      COMPREPLY+=("$value")
    done
  } < <(command mix complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _mix mix`;

/** Works as the file `_mix` in fpath, which zsh first runs in order to complete, and with eval or source. */
const zsh = `#compdef mix
_mix() {
  local -a answer found
  local line
  answer=("\${(@f)$(command mix complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for line in "\${(@)answer[2,-1]}"; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  (( $#found )) && _describe mix found && return
  case "$answer[1]" in
    files) compset -P '--*='; _files ;;
    directories) compset -P '--*='; _files -/ ;;
  esac
}
if [[ "$funcstack[1]" == _mix ]]; then _mix; elif (( $+functions[compdef] )); then compdef _mix mix; fi`;

const fish = `# fish completion for mix
function __mix_complete
    set -l token (commandline -ct)
    set -l answer (command mix complete -- (commandline -opc)[2..-1] (string replace -ra '["\\'\\\\\\\\]' '' -- "$token") 2>/dev/null)
    set -l flag (string match -r '^--[^=]+=' -- "$token")
    set -l path (string replace -- "$flag" '' "$token")
    switch "$answer[1]"
        case files
            string join \\n -- "$flag"(__fish_complete_path "$path")
        case directories
            string join \\n -- "$flag"(__fish_complete_directories "$path")
    end
    set -e answer[1]
    string join \\n -- $answer
end
complete -c mix -f -a '(__mix_complete)'`;

export const stubs: Readonly<Record<Shell, string>> = { bash, zsh, fish };
