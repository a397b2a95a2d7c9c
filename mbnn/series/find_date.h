// The column of dates of a table for which none was named.
#pragma once

#include <string>

#include "mbnn/tables/columns/table.h"

namespace mbnn {

// Reads the table for its dates alone. InputError if there is none or if several columns could be it.
std::string find_date(const std::string& path, const TableOptions& options, const std::string& target);

}  // namespace mbnn
