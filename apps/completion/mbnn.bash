# Completion of mbnn and mbnn-reproduce for bash: the program says itself what may come next.
_mbnn() {
  local current=${COMP_WORDS[COMP_CWORD]} reply word
  COMPREPLY=()
  mapfile -t reply < <("${COMP_WORDS[0]/#\~/$HOME}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ ${reply[0]-} == files ]] && return # bash itself completes names of files
  compopt +o default +o bashdefault 2>/dev/null
  for word in "${reply[@]:1}"; do
    [[ $current == [\"\']* ]] || printf -v word %q "$word"
    COMPREPLY+=("${word//\\,/,}") # commas part the names of a list
  done
}
complete -o default -o bashdefault -F _mbnn mbnn mbnn-reproduce
