# The style sheet and the script of the pages that `report` makes, as a source.
# Out: ashlar_page_parts.
set(page_folder ${CMAKE_CURRENT_LIST_DIR}/ashlar/page)
foreach(part css js)
  set_property(DIRECTORY APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${page_folder}/report_page.${part})
  file(READ ${page_folder}/report_page.${part} PAGE_${part})
endforeach()
set(ashlar_page_parts ${CMAKE_CURRENT_BINARY_DIR}/page_parts.cc)
configure_file(${page_folder}/page_parts.cc.in ${ashlar_page_parts} @ONLY)
