# SPDX-License-Identifier: MIT OR Apache-2.0
# The smallest agent that there is: it opens a session, and once it is prompted it talks until it is ended.
while read -r line; do
  id=${line#*'"id":'}
  id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentCapabilities":{}}}\n' "$id" ;;
    *'"method":"session/new"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s"}}\n' "$id" ;;
    *'"method":"session/prompt"'*)
      text='a line of text that is about as long as what agents say at once, with some more words, and then a few'
      while printf '%s\n' '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$text"'"}}}}'; do :; done ;;
  esac
done
