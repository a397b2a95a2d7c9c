// The command line: mbnn <verb> [file] [--options].
#include "apps/common/program.h"

namespace mbnn::app {
int run_mbnn(int argc, char** argv);
}

int main(int argc, char** argv) { return mbnn::app::run_program(argc, argv, mbnn::app::run_mbnn); }
