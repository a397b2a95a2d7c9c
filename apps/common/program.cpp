#include "apps/common/program.h"

#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "apps/common/command.h"
#include "apps/common/declared_options.h"
#include "apps/common/signals.h"
#include "apps/common/standard_streams.h"
#include "mbnn/core/error.h"
#include "mbnn/core/text.h"

namespace mbnn::app {

namespace {

// Names of columns and files come from outside.
int fail(const std::string& message, int code) {
  fmt::print(stderr, "mbnn: {}\n", visible_lines(message));
  return code;
}

}  // namespace

int run_program(int argc, char** argv, int (*run)(int, char**)) {
  occupy_closed_streams();  // first of all: files get the numbers that are free
  remove_files_on_signals();
  signal(SIGXFSZ, SIG_IGN);  // a file that reaches the limit on sizes is a failed write like others, told in words
  try {
    return run(argc, argv);
  } catch (const InputError& e) {
    return fail(words_of(e), wrong_input);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", failed);
  } catch (const std::length_error&) {  // more of it than there are addresses
    return fail("out of memory", failed);
  } catch (const std::filesystem::filesystem_error& e) {
    return fail(fmt::format("{}: {}", e.path1().string(), e.code().message()), failed);
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::resource_unavailable_try_again) return fail("out of memory or threads", failed);
    // Of a failed print, the exception does not say where to.
    const bool output = std::ferror(stdout) != 0;
    return fail(output ? "the output could not be written: " + e.code().message() : e.what(), failed);
  } catch (const std::exception& e) {
    return fail(e.what(), failed);
  }
}

}  // namespace mbnn::app
