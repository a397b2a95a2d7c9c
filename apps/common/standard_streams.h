// Standard streams that were closed when the program began.
#pragma once

namespace mbnn::app {

// Before any file is opened: the next one would get the closed stream's number, and messages would go into it. Nothing
// then comes from a closed input, and writing to a closed output still fails, so that no result is lost unseen;
// messages to a closed error stream are dropped.
void occupy_closed_streams();

}  // namespace mbnn::app
