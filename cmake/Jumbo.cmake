# Jumbo builds: sources of a kind are compiled as one, so that the headers and templates they share are read and made
# once. A build from nothing takes about a third of the time; a change compiles its whole group anew. Both forms must
# build: a name in an anonymous namespace is therefore used once in a group.
option(MBNN_JUMBO "Compile the sources of a folder together" OFF)

# jumbo(TARGET NAME SOURCES...) puts these into one source of their own. Those with options of their own stay out of it.
function(jumbo target name)
  if(MBNN_JUMBO)
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${name})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()
