#include "apps/common/program.h"

#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "apps/common/command.h"
#include "apps/common/declared_options.h"
#include "apps/common/standard_streams.h"
#include "mbnn/core/error.h"

namespace mbnn::app {

int run_program(int argc, char** argv, int (*run)(int, char**)) {
  occupy_closed_streams();   // first of all: files get the numbers that are free
  signal(SIGXFSZ, SIG_IGN);  // a file that reaches the limit on sizes is a failed write like others, told in words
  try {
    return run(argc, argv);
  } catch (const InputError& e) {
    fmt::print(stderr, "mbnn: {}\n", words_of(e));
    return wrong_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "mbnn: out of memory\n");
    return failed;
  } catch (const std::system_error& e) {
    // Of a failed print, the exception does not say where to.
    const bool output = std::ferror(stdout) != 0;
    fmt::print(stderr, "mbnn: {}\n", output ? "the output could not be written: " + e.code().message() : e.what());
    return failed;
  } catch (const std::exception& e) {
    fmt::print(stderr, "mbnn: {}\n", e.what());
    return failed;
  }
}

}  // namespace mbnn::app
