#include "apps/reproduce/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "mbnn/core/error.h"
#include "mbnn/core/parallel.h"
#include "mbnn/store/checksum.h"
#include "mbnn/store/temporary_file.h"

namespace mbnn::studies {

namespace {

double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string clock_time(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{}:{:02}", s / 60, s % 60);
}

std::vector<std::string> key_of(const Study& study, const Row& row) {
  std::vector<std::string> key;
  for (const auto& column : study.keys) key.push_back(row.at(column));
  return key;
}

// Jobs that differ in their repetition only cost about the same.
std::vector<std::string> group_of(std::vector<std::string> key) {
  key.pop_back();
  return key;
}

// Requests a stop when the time is over or the user asks for it.
class Deadline {
 public:
  Deadline(double minutes, std::stop_token outer)
      : forward_(std::move(outer), Forward{&source_}), waiter_([this, minutes](std::stop_token done) {
          if (minutes <= 0) return;
          std::unique_lock lock(mutex_);
          const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(60 * minutes);
          if (!over_.wait_until(lock, done, end, [] { return false; }) && !done.stop_requested()) {
            passed_ = true;
            source_.request_stop();
          }
        }) {}
  std::stop_token token() const { return source_.get_token(); }
  bool passed() const { return passed_; }

 private:
  struct Forward {
    std::stop_source* source;
    void operator()() const { source->request_stop(); }
  };
  std::stop_source source_;
  std::atomic<bool> passed_ = false;
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::stop_callback<Forward> forward_;
  std::jthread waiter_;  // last: ends before what it uses
};

class Engine {
 public:
  Engine(const Study& study, const EngineOptions& options, RowsFile& rows)
      : study_(study), options_(options), rows_(rows), deadline_(options.budget_minutes, options.stop) {}

  StudyOutcome run(std::vector<Job> jobs) {
    outcome_.jobs = jobs.size();
    for (Job& job : jobs)
      if (has_row(job))
        ++outcome_.earlier;
      else
        pending_.push_back(std::move(job));
    for (const Job& job : pending_)
      if (job.check) job.check(options_.directory);
    if (outcome_.earlier > 0)
      options_.say(fmt::format("{} of {} rows are there already", outcome_.earlier, outcome_.jobs));
    // A thread for each job wastes none of them at the end of a fit; a few jobs share all threads instead.
    const bool side_by_side = pending_.size() >= options_.threads;
    workers_ = side_by_side ? options_.threads : 1;
    job_threads_ = side_by_side ? 1 : options_.threads;
    for_each_index(pending_.size(), workers_, [this](std::size_t) { run_next(); });
    outcome_.out_of_time = deadline_.passed() && outcome_.earlier + outcome_.finished < outcome_.jobs;
    outcome_.interrupted = options_.stop.stop_requested();
    return std::move(outcome_);
  }

 private:
  bool has_row(const Job& job) const {
    bool there = false;
    for (const Row& row : rows_.rows()) {
      const auto key = key_of(study_, row);
      if (group_of(key) != group_of(job.key)) continue;
      const auto common = row.find("common");
      if ((common != row.end() && common->second != common_hash(job)) ||
          (key == job.key && row.at("settings") != settings_hash(job.settings)))
        throw InputError(fmt::format("{}/rows.csv: the row '{}' was made with other settings: choose another --out",
                                     options_.directory, fmt::join(key, " ")));
      there = there || key == job.key;
    }
    return there;
  }

  // The seed of repetition k is --seed + k - 1.
  static std::string common_hash(const Job& job) {
    return settings_hash({{"settings", job.common}, {"seed", job.seed + 1 - std::stoull(job.key.back())}});
  }

  void run_next() {
    Job job;
    {
      const std::scoped_lock guard(mutex_);
      if (deadline_.token().stop_requested() || broken_) return;
      job = std::move(pending_.front());
      pending_.pop_front();
    }
    run_job(job);
  }

  void run_job(const Job& job) {
    const double wall = clock_seconds(CLOCK_MONOTONIC);
    const clockid_t cpu_clock = workers_ > 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID;
    const double cpu = clock_seconds(cpu_clock);
    JobContext context;
    context.directory = options_.directory;
    context.name = fmt::format("{}", fmt::join(job.key, "-"));
    context.keep_fits = options_.keep_fits;
    context.threads = job_threads_;
    context.stop = deadline_.token();
    context.spent = [=] { return Cost{clock_seconds(CLOCK_MONOTONIC) - wall, clock_seconds(cpu_clock) - cpu}; };
    context.say = [&](const std::string& line) {
      const std::scoped_lock guard(mutex_);
      options_.say(fmt::format("{}: {}", fmt::join(job.key, " "), line));
    };
    std::optional<JobResult> result;
    try {
      result = job.run(context);
    } catch (const std::exception& error) {
      const std::scoped_lock guard(mutex_);
      outcome_.failures.push_back(fmt::format("{}: {}", fmt::join(job.key, " "), error.what()));
      options_.say("failed: " + outcome_.failures.back());
      return;
    }
    if (!result) return;
    const Cost spent = context.spent();
    const std::scoped_lock guard(mutex_);
    Row row = std::move(result->figures);
    for (std::size_t i = 0; i < job.key.size(); ++i) row[study_.keys[i]] = job.key[i];
    row["seed"] = std::to_string(job.seed);
    row["settings"] = settings_hash(job.settings);
    row["common"] = common_hash(job);
    row["seconds"] = fmt::format("{:.2f}", spent.seconds + result->earlier.seconds);
    row["cpu_seconds"] = fmt::format("{:.2f}", spent.cpu_seconds + result->earlier.cpu_seconds);
    try {
      rows_.append(row);
    } catch (const Error& error) {  // a full disk: nothing that follows could be kept
      broken_ = true;
      outcome_.failures.push_back(error.what());
      return;
    }
    if (job.clear) job.clear(context);
    ++outcome_.finished;
    say_finished(job, row);
  }

  void say_finished(const Job& job, const Row& row) {
    std::string line =
        fmt::format("[{}/{}] {}:", outcome_.earlier + outcome_.finished, outcome_.jobs, fmt::join(job.key, " "));
    for (const auto& figure : study_.headline)
      if (const auto found = row.find(figure); found != row.end() && !found->second.empty())
        line += fmt::format(" {} {:.4g}", figure, number(row, figure));
    line += fmt::format(", {} ({:.1f} CPU s)", clock_time(number(row, "seconds")), number(row, "cpu_seconds"));
    if (const double left = seconds_left(); left > 0) line += fmt::format("; {} left", clock_time(left));
    options_.say(line);
  }

  double seconds_left() const {
    std::map<std::vector<std::string>, std::pair<double, double>> by_group;
    double sum = 0, count = 0;
    for (const Row& row : rows_.rows()) {
      const double seconds = number(row, "seconds");
      auto& group = by_group[group_of(key_of(study_, row))];
      group.first += seconds, group.second += 1, sum += seconds, count += 1;
    }
    double left = 0;
    for (const Job& job : pending_) {
      const auto group = by_group.find(group_of(job.key));
      left += group == by_group.end() ? sum / count : group->second.first / group->second.second;
    }
    return left / static_cast<double>(workers_);
  }

  const Study& study_;
  const EngineOptions& options_;
  RowsFile& rows_;
  Deadline deadline_;
  std::mutex mutex_;
  std::deque<Job> pending_;
  std::size_t workers_ = 1, job_threads_ = 1;
  bool broken_ = false;
  StudyOutcome outcome_;
};

std::string rows_path(const EngineOptions& options) { return options.directory + "/rows.csv"; }

void finish(const Study& study, const EngineOptions& options, std::vector<Row> rows, StudyOutcome& outcome) {
  outcome.rows = std::move(rows);
  outcome.table = study.table(outcome.rows);
  double cpu = 0;
  for (const Row& row : outcome.rows) cpu += number(row, "cpu_seconds");
  outcome.table +=
      fmt::format("\nMade by `{}`: {} rows, {} of CPU time.\n", options.command, outcome.rows.size(), clock_time(cpu));
  write_whole(options.directory + "/table.md", outcome.table);
}

}  // namespace

std::string settings_hash(const nlohmann::json& settings) {
  return fmt::format("{:016x}", static_cast<std::uint64_t>(Checksum("settings").add(settings.dump()).value()));
}

void write_whole(const std::string& path, const std::string& text) {
  TemporaryFile temporary(path, path);
  std::ofstream file(temporary.path(), std::ios::binary);
  file << text;
  file.close();
  if (!file || temporary.place(true) != 0) throw Error(fmt::format("{} could not be written", path));
}

StudyOutcome run_study(const Study& study, const EngineOptions& options) {
  std::vector<Job> jobs = study.jobs();  // before the directory: absent data leaves no trace
  std::error_code error;
  std::filesystem::create_directories(options.directory + "/fits", error);
  if (error) throw InputError(fmt::format("--out {} cannot be made: {}", options.directory, error.message()));
  RowsFile rows = RowsFile::append_to(rows_path(options), study.columns());
  StudyOutcome outcome = Engine(study, options, rows).run(std::move(jobs));
  finish(study, options, rows.rows(), outcome);
  return outcome;
}

StudyOutcome read_study(const Study& study, const EngineOptions& options) {
  StudyOutcome outcome;
  finish(study, options, RowsFile::read(rows_path(options), study.columns()), outcome);
  outcome.jobs = outcome.earlier = outcome.rows.size();
  return outcome;
}

}  // namespace mbnn::studies
